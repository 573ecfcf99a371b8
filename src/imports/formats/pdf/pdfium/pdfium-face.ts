import { parseFontFace } from '../characters/parse-font-face.ts'
import type { FontFace } from '../page/pdf-file.ts'
import { scratchBytes } from './start-pdfium.ts'
import type { Handle, Pdfium } from './start-pdfium.ts'

/** The fixed-pitch flag in `FPDFFont_GetFlags`. Many monospaced fonts lack it, and some other fonts have it. */
const fixedPitch = 1
/** Letters whose widths differ in any proportional font. */
const distinctiveLetters = Array.from('ilmW.eo0aAnrst', (letter) => letter.charCodeAt(0))
/** How many of them, at the start, have widths far from those of the others in any proportional font. */
const unequalLetters = 5
/** The control character DEL, whose width is that of the letters that a subset lacks. */
const absentCharacter = 0x7f
/** The minimum number of letters that a font subset needs to show whether it is monospaced. */
const minLetters = 3
/**
 * The widths of monospaced letters, in thousandths of the font size. Wider fonts are symbol fonts or Chinese and
 * Japanese.
 */
const monoWidths = { least: 400, most: 700 }

/** A font of a file. */
export interface FileFont {
  /** Its PostScript name; empty if it has none. */
  name: string
  face: FontFace
}

/** Reads the style of a font, from its name and the widths of its letters. */
export function readFont(pdfium: Pdfium, font: Handle): FileFont {
  const name = postScriptName(pdfium, font)
  return { name, face: { ...parseFontFace(name, isMono(pdfium, font) ? 'monospace' : ''), vertical: false } }
}

function postScriptName({ exports, memory, scratch }: Pdfium, font: Handle): string {
  const length = exports.FPDFFont_GetBaseFontName(font, scratch, scratchBytes)
  if (length < 1 || length > scratchBytes) return ''
  return Buffer.from(memory().bytes.subarray(scratch, scratch + length - 1)).toString('utf8')
}

/** True if all letters of a font have the same width, as far as the font contains them. */
function isMono({ exports, memory, scratch }: Pdfium, font: Handle): boolean {
  const widthOf = (code: number): number =>
    exports.FPDFFont_GetGlyphWidth(font, code, 1_000, scratch) === 0 ? 0 : (memory().floats[scratch >> 2] ?? 0)
  const widths = distinctiveLetters.map(widthOf)
  const known = widths.filter((width) => width > 0)
  if (known.length < minLetters) return areEqual(known) && (exports.FPDFFont_GetFlags(font) & fixedPitch) !== 0
  const own = areEqual(known) ? known : withoutMissing(widths, widthOf(absentCharacter))
  const [width = 0] = own
  return own.length >= minLetters && areEqual(own) && width >= monoWidths.least && width <= monoWidths.most
}

/** The widths of letters without those that a subset lacks; none if no letter is left that is narrow or wide elsewhere. */
function withoutMissing(widths: readonly number[], missing: number): number[] {
  const own = (width: number): boolean => width > 0 && width !== missing
  return widths.slice(0, unequalLetters).some(own) ? widths.filter(own) : []
}

function areEqual([first = 0, ...others]: readonly number[]): boolean {
  return others.every((width) => Math.abs(width - first) <= 1)
}
