import type { ElementWriter } from './element-writer.ts'

/** The emphasis of a run of text. */
export interface RunFormat {
  bold: boolean
  italic: boolean
  strike: boolean
  script: 'sup' | 'sub' | null
  code: boolean
}

export const plainFormat: RunFormat = { bold: false, italic: false, strike: false, script: null, code: false }

/** Writes text with its emphasis. */
export function writeRun(writer: ElementWriter, text: string, format: RunFormat): void {
  if (text === '') return
  const { depth } = writer
  if (text.trim() !== '') {
    if (format.code) writer.open('code')
    if (format.bold) writer.open('strong')
    if (format.italic) writer.open('em')
    if (format.strike) writer.open('s')
    if (format.script !== null) writer.open(format.script)
  }
  writer.text(text)
  writer.closeTo(depth)
}
