import { parseFontFace } from './parse-font-face.ts'
import type { FontFace } from './pdf-file.ts'
import { scratchBytes } from './start-pdfium.ts'
import type { Handle, Pdfium } from './start-pdfium.ts'

/** The fixed-pitch flag in `FPDFFont_GetFlags`. Many monospaced fonts lack it, and some other fonts have it. */
const fixedPitch = 1
/** Letters whose widths differ in any proportional font. */
const distinctiveLetters = Array.from('ilmWeo.0aAnrst', (letter) => letter.charCodeAt(0))
/** The minimum number of letters that a font subset needs to show whether it is monospaced. */
const minLetters = 3
/**
 * The widths of monospaced letters, in thousandths of the font size. Wider fonts are symbol fonts or Chinese and
 * Japanese.
 */
const monoWidths = { least: 400, most: 700 }

/** The style of a font, from its name and the widths of its letters. */
export function readFace(pdfium: Pdfium, font: Handle): FontFace {
  const name = postScriptName(pdfium, font)
  return { ...parseFontFace(name, isMono(pdfium, font) ? 'monospace' : ''), vertical: false }
}

/** The PostScript name of a font; empty if it has none. */
export function postScriptName({ exports, memory, scratch }: Pdfium, font: Handle): string {
  const length = exports.FPDFFont_GetBaseFontName(font, scratch, scratchBytes)
  if (length < 1 || length > scratchBytes) return ''
  return Buffer.from(memory().bytes.subarray(scratch, scratch + length - 1)).toString('utf8')
}

function isMono({ exports, memory, scratch }: Pdfium, font: Handle): boolean {
  let letters = 0
  let width = 0
  for (const letter of distinctiveLetters) {
    if (exports.FPDFFont_GetGlyphWidth(font, letter, 1_000, scratch) === 0) continue
    const own = memory().floats[scratch >> 2] ?? 0
    if (own === 0) continue
    if (letters > 0 && Math.abs(own - width) > 1) return false
    letters += 1
    width = own
  }
  if (letters < minLetters) return (exports.FPDFFont_GetFlags(font) & fixedPitch) !== 0
  return width >= monoWidths.least && width <= monoWidths.most
}
