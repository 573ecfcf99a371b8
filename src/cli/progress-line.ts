import { oneLine } from './show-value.ts'
import type { Terminal } from './terminal.ts'

/** Shows the progress of an operation. */
export interface ProgressLine {
  /**
   * `share`: 0 to 1. `startedAt`: a value of `performance.now()`. `detail` changes often and is shown on a terminal
   * only.
   */
  show(what: string, part: { share: number; startedAt: number } | null, detail?: string): void
  /** Clears the progress line on a terminal. */
  clear(): void
}

const eraseLine = '\r\u001B[K'
const barWidth = 24

/** Minimum time between two updates, ms. */
const intervalMs = 100

/** On a terminal, a line with a bar and the remaining time; elsewhere a line for each new `what`. */
export function createProgressLine({ stderr }: Terminal): ProgressLine {
  let [last, shownAt] = ['', 0]
  return {
    show(given, part, detail = '') {
      const what = oneLine(given)
      if (!stderr.isTTY) {
        if (what !== last) stderr.write(`${what}\n`)
        last = what
        return
      }
      const now = performance.now()
      if (what === last && now - shownAt < intervalMs && part?.share !== 1) return
      ;[last, shownAt] = [what, now]
      const line = part === null ? `${what} …${detail}` : `${what}  ${bar(part.share)}${detail}${timeLeft(part, now)}`
      // A line that wraps could not be erased.
      stderr.write(`${eraseLine}${line.slice(0, (stderr.columns ?? 80) - 1)}`)
    },
    clear() {
      if (stderr.isTTY && last !== '') stderr.write(eraseLine)
      last = ''
    },
  }
}

function bar(share: number): string {
  const full = Math.round(Math.min(1, share) * barWidth)
  return `${'█'.repeat(full)}${'░'.repeat(barWidth - full)} ${String(Math.floor(share * 100)).padStart(3)} %`
}

/** The estimated remaining time at the pace so far; empty in the first two seconds. */
function timeLeft({ share, startedAt }: { share: number; startedAt: number }, now: number): string {
  const elapsed = (now - startedAt) / 1000
  if (elapsed < 2 || share <= 0 || share >= 1) return ''
  const seconds = Math.ceil((elapsed / share) * (1 - share))
  return seconds < 90 ? `, ${seconds} s left` : `, ${Math.ceil(seconds / 60)} min left`
}
