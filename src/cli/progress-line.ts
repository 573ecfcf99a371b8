import type { Terminal } from './terminal.ts'

/** Shows how far something is. */
export interface ProgressLine {
  /** `share`: 0 to 1. `startedAt`: as of `performance.now()`. `detail` changes often and is shown on a terminal only. */
  show(what: string, part: { share: number; startedAt: number } | null, detail?: string): void
  /** Removes what is shown on a terminal. */
  clear(): void
}

const eraseLine = '\r\u001B[K'
const barWidth = 24

/** Time between two pictures of one bar, ms. */
const intervalMs = 100

/** A line with a bar and the time left on a terminal; elsewhere a line for each new `what`. */
export function createProgressLine({ stderr }: Terminal): ProgressLine {
  let [last, shownAt] = ['', 0]
  return {
    show(what, part, detail = '') {
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

/** How long the rest takes at the pace so far; nothing in the first two seconds. */
function timeLeft({ share, startedAt }: { share: number; startedAt: number }, now: number): string {
  const elapsed = (now - startedAt) / 1000
  if (elapsed < 2 || share <= 0 || share >= 1) return ''
  const seconds = Math.ceil((elapsed / share) * (1 - share))
  return seconds < 90 ? `, ${seconds} s left` : `, ${Math.ceil(seconds / 60)} min left`
}
