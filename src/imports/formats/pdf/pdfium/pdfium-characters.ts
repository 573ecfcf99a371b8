import type { FontFace } from '../page/pdf-file.ts'
import { defaultFace } from '../characters/read-runs.ts'
import type { Character, TextStyle } from '../characters/character.ts'
import { spacingAccentOf } from '../characters/compose-accents.ts'
import { symbolFontOf, type SymbolFont } from '../characters/math-symbols.ts'
import { isSpaceCode } from '../characters/text.ts'
import { mcidOf } from './pdfium-structure.ts'
import { rightToLeft } from './pdfium-items.ts'
import { ReplacedText } from './replaced-text.ts'
import type { FileFont } from './pdfium-face.ts'
import type { Handle, Pdfium } from './start-pdfium.ts'

/**
 * The offset in scratch memory, in bytes, of the doubles of a point. They follow the floats of a matrix or rectangle.
 */
const doublesOffset = 64
/**
 * Minimum plausible font size, in points. A smaller one belongs to a font with its own scale (Type 3 with bitmaps),
 * whose height is more reliable.
 */
const minSize = 1.5
/** The height of the math axis above the baseline, in ems. */
const mathAxis = 0.25
/** The radical sign, which TeX fonts draw downwards from the baseline. */
const root = 0x221a
/** Symbols that math fonts contain in several heights: operators, brackets and their pieces, and radicals. */
const tallSigns = new Set(
  Array.from(
    '∏∐∑∫∬∭∮⋀⋁⋂⋃⨀⨁⨂⨄⨆()[]{}|‖⟨⟩⌈⌉⌊⌋⎛⎜⎝⎞⎟⎠⎡⎢⎣⎤⎥⎦⎧⎨⎩⎪⎫⎬⎭\uf8eb\uf8ec\uf8ed\uf8ee\uf8ef\uf8f0\uf8f1\uf8f2\uf8f3\uf8f4\uf8f6\uf8f7\uf8f8\uf8f9\uf8fa\uf8fb\uf8fc\uf8fd\uf8fe',
    (sign) => sign.codePointAt(0),
  ),
)
/** The minimum cosine of the angle between a writing direction and an axis of the page that counts as parallel. */
const straight = 0.9999
/** The minimum difference of the squares of sine and cosine of a direction, about 1 degree from 45 degrees. */
const minDifference = 0.03
/** The codes that the engine returns for a hyphen at a line end. */
const hyphens = new Set([0x2, 0xad, 0xfffe])
/** The first combining mark. */
const firstMark = 0x300
/** The highest number of the glyph of a space, in fonts whose glyph numbers the engine returns. */
const lastSpaceGlyph = 3
const lastLatin = 0xff
const calibri = /^(?:[A-Z]{6}\+)?Calibri(?![a-z])/
/** The code for a glyph of unknown meaning. It counts as unreadable and is omitted. */
const unknownSign = 0

/** An open page with the engine's text page. Marked-content identifiers are read if the file is tagged. */
interface PageHandles {
  page: Handle
  text: Handle
  isTagged: boolean
  readFont: (font: Handle) => FileFont
}

/** Reads the characters of a page one by one. `faces` contains the fonts found so far. */
export class CharacterReader {
  readonly faces = new Map<string, FontFace>()
  /** The fonts with math symbols or icons. */
  readonly symbolFonts = new Map<string, SymbolFont>()
  /** The fonts without a name. */
  readonly unnamedFonts = new Set<string>()
  readonly calibriFonts = new Set<string>()
  readonly #pdfium: Pdfium
  readonly #text: Handle
  readonly #isTagged: boolean
  readonly #readFont: PageHandles['readFont']
  readonly #fonts = new Map<Handle, string>()
  #object: Handle = -1
  /**
   * Whether the page has used a font of large symbols, and whether the font of the current text object may contain tall
   * ones.
   */
  #hasLargeSigns = false
  #hasTallSigns = false
  /** Whether the page contains a glyph number that is perhaps that of a space. */
  hasGlyphNumbers = false
  /** Whether the font of a character beyond Latin-1 has no text for it. */
  hasUnmapped = false
  /** The mark that replaces the glyphs of the current text object with other text; 0 if there is none. */
  #replacement: Handle = 0
  readonly #replaced: ReplacedText
  #style: TextStyle = { font: '', matrix: [1, 0, 0, 1], x: 1, y: 0, em: 1, size: 1 }

  constructor(pdfium: Pdfium, { page, text, isTagged, readFont }: PageHandles) {
    this.#pdfium = pdfium
    this.#text = text
    this.#replaced = new ReplacedText(pdfium, page)
    this.#isTagged = isTagged
    this.#readFont = readFont
  }

  /**
   * Passes the visible characters to `take`, with their index in the engine, in its order: the order of the file, with
   * right-to-left text in reading order.
   */
  read(take: (character: Character, index: number) => void): void {
    const { exports } = this.#pdfium
    const count = exports.FPDFText_CountChars(this.#text)
    let space = -1
    for (let index = 0; index < count; index += 1) {
      const code = exports.FPDFText_GetUnicode(this.#text, index)
      if (isSpaceCode(code) && !this.#isSign(index, code)) {
        // The engine adds line ends. They contain no information beyond the positions.
        if (code !== 0xa && code !== 0xd && !this.#isDoubtful(index)) space = index
        continue
      }
      const before = this.#object
      if (code <= lastSpaceGlyph && code > 0) this.hasGlyphNumbers = true
      if (code > lastLatin && !this.hasUnmapped) this.hasUnmapped = this.isUnmapped(index)
      const character = this.#character(index, code, space >= 0)
      if (character === null) continue
      if (space >= 0 && !character.sameObject) character.hasLooseSpace = this.#isLoose(space, before)
      take(character, index)
      space = -1
    }
  }

  /** Whether the font has no text for the character at an index. */
  isUnmapped(index: number): boolean {
    return this.#pdfium.exports.FPDFText_HasUnicodeMapError(this.#text, index) === 1
  }

  /** Whether a space is neither in the text object `before` it nor in the current one. */
  #isLoose(space: number, before: Handle): boolean {
    const { exports } = this.#pdfium
    const object = exports.FPDFText_GetTextObject(this.#text, space)
    return exports.FPDFText_IsGenerated(this.#text, space) === 1 || (object !== before && object !== this.#object)
  }

  /** A character; null if it repeats text that was returned before. */
  #character(index: number, code: number, afterSpace: boolean): Character | null {
    const { exports, memory, scratch: at } = this.#pdfium
    const object = exports.FPDFText_GetTextObject(this.#text, index)
    const sameObject = object === this.#object
    if (!sameObject) {
      this.#style = this.#readStyle(index, object)
      this.#hasTallSigns = this.faces.get(this.#style.font)?.math !== undefined
      this.#replacement = object === 0 ? 0 : this.#replaced.markOf(object)
    }
    this.#object = object
    if (this.#replacement !== 0 && this.#replaced.isRepeated(this.#replacement, object)) return null
    exports.FPDFText_GetCharOrigin(this.#text, index, at + doublesOffset, at + doublesOffset + 8)
    exports.FPDFText_GetLooseCharBox(this.#text, index, at)
    const { doubles, floats } = memory()
    const first = (at + doublesOffset) >> 3
    const box = at >> 2
    const width = (floats[box + 2] ?? 0) - (floats[box] ?? 0)
    const height = (floats[box + 1] ?? 0) - (floats[box + 3] ?? 0)
    const x = doubles[first] ?? 0
    const y = doubles[first + 1] ?? 0
    const isTall = (this.#hasTallSigns || code === root) && this.#isTall(code) && this.#style.x > 0.99
    const glyph = isTall ? this.#tallGlyph(index, y) : null
    const character: Character = {
      text: this.#signOf(index, code),
      x,
      y: glyph?.y ?? y,
      width: this.#replacedWidth(x, code, advanceOf(width, height, this.#style) ?? this.#fontAdvance(object, code)),
      style: this.#style,
      sameObject,
      afterSpace,
      glyphHeight: glyph?.height ?? 0,
    }
    if (code >= firstMark && spacingAccentOf(code) !== undefined) this.#addInk(character, index)
    return character
  }

  /** Adds the left and right edges of the glyph of a mark, if the engine knows them. */
  #addInk(character: Character, index: number): void {
    const { exports, memory, scratch: at } = this.#pdfium
    if (exports.FPDFText_GetCharBox(this.#text, index, at, at + 8, at + 16, at + 24) === 0) return
    const [left = 0, right = 0] = memory().doubles.subarray(at >> 3, (at >> 3) + 2)
    character.ink = [left, right]
  }

  /** Whether a space or a line end is a large bracket, a raw code of a font of symbols or without name, or a glyph number. */
  #isSign(index: number, code: number): boolean {
    if (code === 0x20 ? !this.#hasLargeSigns : code < 0x9 || code > 0xd) return false
    const object = this.#pdfium.exports.FPDFText_GetTextObject(this.#text, index)
    if (object === 0) return false
    const font = this.#nameOf(this.#pdfium.exports.FPDFTextObj_GetFont(object))
    const kind = this.symbolFonts.get(font)
    if (kind === 'cmex' || kind === 'icons' || code === 0x20) return kind === 'cmex'
    const isCode = kind !== undefined || this.hasGlyphNumbers
    return this.unnamedFonts.has(font) || (isCode && this.isUnmapped(index))
  }

  /** The width of a character, which is `width` in its font, from its origin to the end of the glyphs that it replaces. */
  #replacedWidth(x: number, code: number, width: number): number {
    const glyphs = this.#replacement === 0 || this.#style.x < 0.99 ? null : this.#replaced.glyphsOf(this.#replacement)
    if (!glyphs) return width
    const shown = Math.max(0, glyphs.right - x)
    // Letters of Arabic have several forms, of which the font has perhaps only one as a character.
    return glyphs.objects > 1 || rightToLeft.test(String.fromCharCode(code)) ? shown : Math.max(shown, width)
  }

  /** Whether the engine inferred a space after several objects that are replaced. It knows only the first of them. */
  #isDoubtful(index: number): boolean {
    if (this.#replacement === 0 || this.#pdfium.exports.FPDFText_IsGenerated(this.#text, index) !== 1) return false
    return (this.#replaced.glyphsOf(this.#replacement)?.objects ?? 1) > 1
  }

  /** The advance width of a character as its font specifies it; 0 if the font does not. */
  #fontAdvance(object: Handle, code: number): number {
    const { exports, memory, scratch: at } = this.#pdfium
    const font = object === 0 ? 0 : exports.FPDFTextObj_GetFont(object)
    if (font === 0 || exports.FPDFFont_GetGlyphWidth(font, code, 1_000, at) === 0) return 0
    return ((memory().floats[at >> 2] ?? 0) / 1_000) * this.#style.em
  }

  #isTall(code: number): boolean {
    return code === root || tallSigns.has(code) || this.symbolFonts.get(this.#style.font) === 'cmex'
  }

  /**
   * The height of a tall glyph, and the baseline of its formula, which differs from `y` if the glyph is drawn downwards
   * from its origin.
   */
  #tallGlyph(index: number, y: number): { y: number; height: number } | null {
    const { exports, memory, scratch: at } = this.#pdfium
    const known = exports.FPDFText_GetCharBox(this.#text, index, at, at + 8, at + 16, at + 24) !== 0
    const { doubles } = memory()
    const [bottom = 0, top = 0] = doubles.subarray((at >> 3) + 2, (at >> 3) + 4)
    if (!known || top <= bottom) return null
    const { size } = this.#style
    const isDownwards = top < y + size * mathAxis
    return { y: isDownwards ? (top + bottom) / 2 - size * mathAxis : y, height: top - bottom }
  }

  #signOf(index: number, code: number): string {
    if (hyphens.has(code) && this.#pdfium.exports.FPDFText_IsHyphen(this.#text, index) === 1) return '-'
    return String.fromCodePoint(code <= 0x10_ffff ? code : unknownSign)
  }

  #readStyle(index: number, object: Handle): TextStyle {
    const { exports, memory, scratch } = this.#pdfium
    const font = object === 0 ? 0 : exports.FPDFTextObj_GetFont(object)
    const signed = exports.FPDFText_GetFontSize(this.#text, index)
    // A negative font size turns the glyphs by 180 degrees, as a negative matrix does.
    const turn = Math.sign(signed) || 1
    const nominal = signed * turn
    exports.FPDFText_GetMatrix(this.#text, index, scratch)
    const { floats } = memory()
    const at = scratch >> 2
    const [a = 1, b = 0, c = 0, d = 1] = [floats[at], floats[at + 1], floats[at + 2], floats[at + 3]]
    const scale = Math.hypot(c, d)
    const size = nominal * scale < minSize ? this.#height(font, nominal) * scale : nominal * scale
    const across = size / (scale || 1)
    const along = Math.hypot(a, b)
    const unit = across * turn
    return {
      font: this.#nameOf(font),
      matrix: [a * unit, b * unit, c * unit, d * unit],
      x: along > 0 ? (a / along) * turn : 1,
      y: along > 0 ? (b / along) * turn : 0,
      em: across * along,
      size,
      ...(this.#isTagged && object !== 0 ? mcidOf(this.#pdfium, object) : {}),
    }
  }

  /** The distance between ascent and descent of a font at a font size. */
  #height(font: Handle, size: number): number {
    const { exports, memory, scratch: at } = this.#pdfium
    const known =
      exports.FPDFFont_GetAscent(font, size, at) !== 0 && exports.FPDFFont_GetDescent(font, size, at + 4) !== 0
    const { floats } = memory()
    const height = (floats[at >> 2] ?? 0) - (floats[(at >> 2) + 1] ?? 0)
    return known && height > 0 ? height : size
  }

  #nameOf(font: Handle): string {
    const known = this.#fonts.get(font)
    if (known !== undefined) return known
    const name = `f${this.#fonts.size}`
    this.#fonts.set(font, name)
    const read = font === 0 ? null : this.#readFont(font)
    this.faces.set(name, read === null ? defaultFace : { ...read.face })
    const signs = read === null ? undefined : symbolFontOf(read.name)
    if (signs !== undefined) this.symbolFonts.set(name, signs)
    if (read?.name === '') this.unnamedFonts.add(name)
    if (read !== null && calibri.test(read.name)) this.calibriFonts.add(name)
    this.#hasLargeSigns ||= signs === 'cmex'
    return name
  }
}

/**
 * The advance width of a character along its writing direction, from the width and height of its box, which is rotated
 * with the text; null at 45 degrees, where the box does not show it. The box of slanted letters, with which programs
 * replace italics, is as high as the font size, and wider by the slant.
 */
function advanceOf(width: number, height: number, { x, y, matrix: [, , c, d] }: TextStyle): number | null {
  const [along, across] = [Math.abs(x), Math.abs(y)]
  if (along > straight) return Math.abs(c) < Math.abs(d) ? Math.max(0, width - height * Math.abs(c / d)) : width
  if (across > straight) return height
  const difference = along ** 2 - across ** 2
  if (Math.abs(difference) < minDifference) return null
  return Math.max(0, (width * along - height * across) / difference)
}
