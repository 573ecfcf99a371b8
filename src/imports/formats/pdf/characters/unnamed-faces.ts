import type { Character } from './character.ts'
import type { FontFace } from '../page/pdf-file.ts'

/** Letters that are narrow in a proportional font, and letters that are wide. */
const narrow = /^[ijlft]$/
const wide = /^[mwMWADGHNOQ]$/
/** Maximum relative difference between the widths of two letters in a monospaced font, whose bitmaps may be rounded. */
const maxDeviation = 0.01
/** The steps of an em in which the widths of the parts of a font are compared. */
const steps = 1_000

/** The widths of the letters of a font on a page, in ems; of its digits and signs if it has no letters there. */
interface Widths {
  least: number
  most: number
  hasLetters: boolean
  hasNarrow: boolean
  hasWide: boolean
}

/**
 * Sets in `faces`, the faces of a page by font, which fonts without a name are monospaced: those in which all letters of
 * the page have one width. TeX's bitmap fonts (Type 3) contain no information about their style. Skia writes one font as
 * several of Type 3, of which some contain only a few letters: these are monospaced if they have the width of another
 * that is.
 */
export function measureFaces(
  faces: Map<string, FontFace>,
  unnamed: ReadonlySet<string>,
  characters: readonly Character[],
): void {
  if (unnamed.size === 0) return
  const fonts = new Map<string, Widths>()
  for (const { text, width, style } of characters) {
    if (!unnamed.has(style.font) || !/^[!-~]$/.test(text)) continue
    const relative = width / style.em
    const hasLetters = /^[A-Za-z]$/.test(text)
    let known = fonts.get(style.font)
    if (known?.hasLetters === true && !hasLetters) continue
    if (!known || known.hasLetters !== hasLetters) {
      known = { least: relative, most: relative, hasLetters, hasNarrow: false, hasWide: false }
    }
    known.least = Math.min(known.least, relative)
    known.most = Math.max(known.most, relative)
    known.hasNarrow ||= narrow.test(text)
    known.hasWide ||= wide.test(text)
    fonts.set(style.font, known)
  }
  const equal = [...fonts].filter(([, { least, most }]) => most - least <= least * maxDeviation)
  const proven = new Set(equal.filter(([, widths]) => widths.hasNarrow && widths.hasWide).map(widthOf))
  const monospaced = new Set(equal.filter((entry) => proven.has(widthOf(entry))).map(([font]) => font))
  for (const font of unnamed) {
    const face = faces.get(font)
    if (face) faces.set(font, { ...face, mono: monospaced.has(font) })
  }
}

/** The width of the characters of a monospaced font, in steps of an em. */
function widthOf([, { least }]: readonly [font: string, Widths]): number {
  return Math.round(least * steps)
}
