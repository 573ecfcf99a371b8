import type { FontFace, TextRun } from './pdf-file.ts'
import { median } from './extent.ts'

/** Minimum length and number of runs that show whether a font is monospaced. */
const minCharacters = 4
const minRuns = 4
/** Maximum relative deviation of the mean character width between runs of a monospaced font. */
const maxDeviation = 0.06

/**
 * Returns the runs of a page with corrected fonts: a font is monospaced only if all its characters have the same width.
 * Fonts of small capitals or old-style figures are often wrongly declared as monospaced.
 */
export function withTrueFaces(runs: readonly TextRun[]): TextRun[] {
  const widths = new Map<FontFace, number[]>()
  for (const { text, width, size, font } of runs) {
    if (!font.mono || text.length < minCharacters || !/^[!-~ ]+$/.test(text)) continue
    const list = widths.get(font)
    const relative = width / text.length / size
    if (list) list.push(relative)
    else widths.set(font, [relative])
  }
  const proportional = new Map<FontFace, FontFace>()
  for (const [font, list] of widths) if (!areEqual(list)) proportional.set(font, { ...font, mono: false })
  if (proportional.size === 0) return [...runs]
  return runs.map((run) => ({ ...run, font: proportional.get(run.font) ?? run.font }))
}

function areEqual(widths: readonly number[]): boolean {
  if (widths.length < minRuns) return true
  const usual = median(widths)
  return widths.filter((width) => Math.abs(width - usual) <= usual * maxDeviation).length >= widths.length / 2
}
