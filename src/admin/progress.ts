/** Shows people what a command is waiting for. */
export interface Progress {
  /** False if there is nobody to show anything to, or to prompt. */
  isShown: boolean
  /** `percent`: null if unknown. `detail` is appended on a terminal only. */
  show(stage: string, percent: number | null, detail?: string): void
  /** Clears the progress line on a terminal. */
  clear(): void
}

interface Output {
  isTTY?: boolean
  write(text: string): unknown
}

const eraseLine = '\r\u001B[K'

/** Shows progress as one updating line on a terminal, and as a line per stage elsewhere. */
export function createProgress(output: Output): Progress {
  let shown = ''
  return {
    isShown: true,
    show(stage, percent, detail = '') {
      const share = percent === null ? '' : ` ${percent} %`
      const text = output.isTTY ? `${eraseLine}${stage}${share}${detail}` : `${stage}\n`
      if (text === shown) return
      shown = text
      output.write(text)
    },
    clear() {
      if (output.isTTY && shown !== '') output.write(eraseLine)
      shown = ''
    },
  }
}

/** Shows nothing. */
export const noProgress: Progress = { isShown: false, show() {}, clear() {} }
