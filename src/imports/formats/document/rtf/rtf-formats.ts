import type { RunFormat } from '../markup/run-format.ts'

/** The character format after a control word; null if the control word does not change it. */
export function changeFormat(format: RunFormat, word: string, isOn: boolean): RunFormat | null {
  if (word === 'b') return { ...format, bold: isOn }
  if (word === 'i') return { ...format, italic: isOn }
  if (word === 'strike' || word === 'striked') return { ...format, strike: isOn }
  if (word === 'super') return { ...format, script: isOn ? 'sup' : null }
  if (word === 'sub') return { ...format, script: isOn ? 'sub' : null }
  return word === 'nosupersub' ? { ...format, script: null } : null
}
