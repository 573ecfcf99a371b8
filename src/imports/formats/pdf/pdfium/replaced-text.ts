import { objectType } from './pdfium-object-type.ts'
import { scratchBytes, type Handle, type Pdfium } from './start-pdfium.ts'

/** The type of an entry that is a string, as the engine numbers the types of objects. */
const stringType = 3
/** The maximum number of objects of a page that are examined. Browsers write an object for each glyph. */
const maxObjects = 50_000
/** The maximum number of nested marks of a text object that are examined. */
const maxMarks = 20
const actualText = new TextEncoder().encode('ActualText\0')

/** The glyphs that a mark replaces: their extent in the line of the first one, and the number of their text objects. */
interface ReplacedGlyphs {
  right: number
  bottom: number
  top: number
  objects: number
}

/**
 * The text objects of a page whose glyphs the file replaces with other text (`ActualText`; ISO 32000-2, 14.9.4). The
 * engine returns this text with the first object of the marked content, and with the widths that its characters have in the font
 * elsewhere, if at all.
 */
export class ReplacedText {
  readonly #pdfium: Pdfium
  readonly #page: Handle
  /** The object with which the engine returns the text of a mark. */
  readonly #objects = new Map<Handle, Handle>()
  #glyphs: ReadonlyMap<Handle, ReplacedGlyphs> | undefined

  constructor(pdfium: Pdfium, page: Handle) {
    this.#pdfium = pdfium
    this.#page = page
  }

  /** The mark that replaces the glyphs of a text object; 0 if there is none. */
  markOf(object: Handle): Handle {
    const { exports, memory, scratch } = this.#pdfium
    const count = Math.min(exports.FPDFPageObj_CountMarks(object), maxMarks)
    if (count === 0) return 0
    const key = scratch + scratchBytes - actualText.length
    memory().bytes.set(actualText, key)
    for (let index = 0; index < count; index += 1) {
      const mark = exports.FPDFPageObj_GetMark(object, index)
      if (exports.FPDFPageObjMark_GetParamValueType(mark, key) === stringType) return mark
    }
    return 0
  }

  /**
   * Whether the text of a mark was returned with another object before. The engine sorts the objects of a line by their
   * positions, and repeats the text where glyphs of two marks overlap, as vowel signs of Thai do.
   */
  isRepeated(mark: Handle, object: Handle): boolean {
    const first = this.#objects.get(mark)
    if (first === undefined) this.#objects.set(mark, object)
    return first !== undefined && first !== object
  }

  /** The glyphs that a mark replaces; null if they are in a form (a group of objects). */
  glyphsOf(mark: Handle): Readonly<ReplacedGlyphs> | null {
    this.#glyphs ??= this.#measure()
    return this.#glyphs.get(mark) ?? null
  }

  #measure(): Map<Handle, ReplacedGlyphs> {
    const { exports, memory, scratch: at } = this.#pdfium
    const found = new Map<Handle, ReplacedGlyphs>()
    const count = Math.min(exports.FPDFPage_CountObjects(this.#page), maxObjects)
    for (let index = 0; index < count; index += 1) {
      const object = exports.FPDFPage_GetObject(this.#page, index)
      if (exports.FPDFPageObj_GetType(object) !== objectType.text) continue
      const mark = this.markOf(object)
      if (mark === 0 || exports.FPDFPageObj_GetBounds(object, at, at + 4, at + 8, at + 12) === 0) continue
      const [left = 0, bottom = 0, right = 0, top = 0] = memory().floats.subarray(at >> 2, (at >> 2) + 4)
      if (right <= left) continue // a space
      const glyphs = found.get(mark)
      if (glyphs) {
        glyphs.objects += 1
        if (bottom < glyphs.top && top > glyphs.bottom) glyphs.right = Math.max(glyphs.right, right)
      } else found.set(mark, { right, bottom, top, objects: 1 })
    }
    return found
  }
}
