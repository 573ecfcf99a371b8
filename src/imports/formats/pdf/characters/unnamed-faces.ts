import type { Character } from './character.ts'
import type { FontFace } from '../page/pdf-file.ts'

/** Letters that are narrow in a proportional font, and letters that are wide. */
const narrow = /^[ijlft]$/
const wide = /^[mwMWADGHNOQ]$/
/** Maximum relative difference between the widths of two letters in a monospaced font, whose bitmaps may be rounded. */
const maxDeviation = 0.01

interface LetterWidths {
  least: number
  most: number
  hasNarrow: boolean
  hasWide: boolean
}

/**
 * Sets in `faces`, the faces of a page by font, which fonts without a name are monospaced: those in which all letters of
 * the page have one width. TeX's bitmap fonts (Type 3) contain no information about their style.
 */
export function measureFaces(
  faces: Map<string, FontFace>,
  unnamed: ReadonlySet<string>,
  characters: readonly Character[],
): void {
  if (unnamed.size === 0) return
  const fonts = new Map<string, LetterWidths>()
  for (const { text, width, style } of characters) {
    if (!unnamed.has(style.font) || !/^[A-Za-z]$/.test(text)) continue
    const relative = width / style.em
    const known = fonts.get(style.font) ?? { least: relative, most: relative, hasNarrow: false, hasWide: false }
    known.least = Math.min(known.least, relative)
    known.most = Math.max(known.most, relative)
    known.hasNarrow ||= narrow.test(text)
    known.hasWide ||= wide.test(text)
    fonts.set(style.font, known)
  }
  for (const font of unnamed) {
    const [face, widths] = [faces.get(font), fonts.get(font)]
    if (face) faces.set(font, { ...face, mono: widths !== undefined && areEqual(widths) })
  }
}

function areEqual({ least, most, hasNarrow, hasWide }: LetterWidths): boolean {
  return hasNarrow && hasWide && most - least <= least * maxDeviation
}
