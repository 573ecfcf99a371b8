/** Tells people what a command waits for. */
export interface Progress {
  /** False where nothing is shown to anybody, nor asked. */
  isShown: boolean
  /** `percent`: null where it is not known. `detail` stands behind it on a terminal only. */
  show(stage: string, percent: number | null, detail?: string): void
  /** Removes what is shown on a terminal. */
  clear(): void
}

interface Output {
  isTTY?: boolean
  write(text: string): unknown
}

const eraseLine = '\r\u001B[K'

/** Shows progress on a terminal as one line that changes, elsewhere as a line for each stage. */
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
