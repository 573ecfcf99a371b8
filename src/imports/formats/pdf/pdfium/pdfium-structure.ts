import { objectType } from './pdfium-object-type.ts'
import { artifact, type StructureElement, type TextRun } from '../page/pdf-file.ts'
import { cleanText } from '../characters/text.ts'
import { scratchBytes, type Handle, type Pdfium } from './start-pdfium.ts'

/** Limits on the structure of one page: the number of elements and marked-content identifiers, and the depth. */
const maxKids = 20_000
const maxDepth = 60
/** Maximum length of an alternative text. A longer one is no description of a figure. */
const maxAlternativeBytes = 16_000
/** How many objects of a page and of its forms are examined. A page with more is a drawing. */
const maxObjects = 10_000

/**
 * The marked-content identifier of a text object; `artifact` if it is marked as a part of the page layout. Empty if it
 * is not marked.
 */
export function mcidOf(pdfium: Pdfium, object: Handle): Pick<TextRun, 'mcid'> {
  const mcid = pdfium.exports.FPDFPageObj_GetMarkedContentID(object)
  if (mcid >= 0) return { mcid }
  return isArtifact(pdfium, object) ? { mcid: artifact } : {}
}

function isArtifact(pdfium: Pdfium, object: Handle): boolean {
  const { exports, memory, scratch } = pdfium
  const count = exports.FPDFPageObj_CountMarks(object)
  for (let index = 0; index < Math.min(count, maxDepth); index += 1) {
    const mark = exports.FPDFPageObj_GetMark(object, index)
    const found = exports.FPDFPageObjMark_GetName(mark, scratch + 8, scratchBytes - 8, scratch)
    const bytes = new DataView(memory().bytes.buffer).getUint32(scratch, true)
    if (found !== 0 && readUtf16(pdfium, bytes, scratch + 8) === 'Artifact') return true
  }
  return false
}

/**
 * The logical structure of a page; null if it has none, or if its marked-content identifiers are ambiguous (see
 * `hasMarkedForm`). `too-large` means that the structure of the file is too large to be read for each page.
 */
export function readStructure(pdfium: Pdfium, page: Handle): StructureElement[] | 'too-large' | null {
  const { exports } = pdfium
  if (hasMarkedForm(pdfium, page)) return null
  const tree = exports.FPDF_StructTree_GetForPage(page)
  if (tree === 0) return null
  const reader = new StructureReader(pdfium)
  const elements: StructureElement[] = []
  const count = exports.FPDF_StructTree_CountChildren(tree)
  for (let index = 0; index < count && reader.isWithinLimits(count); index += 1) {
    const element = reader.read(exports.FPDF_StructTree_GetChildAtIndex(tree, index), 0)
    if (element) elements.push(element)
  }
  exports.FPDF_StructTree_Close(tree)
  if (reader.isTooLarge) return 'too-large'
  return elements.length > 0 ? elements : null
}

class StructureReader {
  isTooLarge = false
  readonly #pdfium: Pdfium
  /** The address of the name of an attribute. */
  readonly #columnSpan: number
  #kids = 0

  constructor(pdfium: Pdfium) {
    this.#pdfium = pdfium
    this.#columnSpan = pdfium.scratch + scratchBytes - 16
  }

  /** Counts the kids of an element. Returns whether the structure is still within the limits. */
  isWithinLimits(kids: number): boolean {
    this.isTooLarge ||= kids > maxKids || this.#kids > maxKids
    return !this.isTooLarge
  }

  read(handle: Handle, depth: number): StructureElement | null {
    if (handle === 0 || depth > maxDepth) return null
    const { exports, scratch } = this.#pdfium
    const length = exports.FPDF_StructElement_GetType(handle, scratch, scratchBytes)
    const type = length <= scratchBytes ? readUtf16(this.#pdfium, length, scratch) : ''
    const element: StructureElement = { type, kids: [] }
    const count = exports.FPDF_StructElement_CountChildren(handle)
    for (let index = 0; index < count && this.isWithinLimits(count); index += 1) {
      const kid = exports.FPDF_StructElement_GetChildAtIndex(handle, index)
      const read =
        kid === 0 ? exports.FPDF_StructElement_GetChildMarkedContentID(handle, index) : this.read(kid, depth + 1)
      this.#kids += 1
      if (read !== null && read !== -1) element.kids.push(read)
      // A cell whose text is on another page keeps its column.
      else if (type === 'TR') element.kids.push({ type: 'TD', kids: [] })
    }
    if (type === 'Figure') {
      const alternative = this.#alternativeOf(handle)
      if (alternative !== '') element.alternative = alternative
    }
    if (type === 'TD' || type === 'TH') {
      const columns = this.#columnsOf(handle)
      if (columns > 1) element.columns = columns
    }
    return element
  }

  #alternativeOf(handle: Handle): string {
    const { exports, memory } = this.#pdfium
    const length = exports.FPDF_StructElement_GetAltText(handle, 0, 0)
    if (length < 2 || length > maxAlternativeBytes) return ''
    const address = exports.malloc(length)
    if (address === 0) return ''
    exports.FPDF_StructElement_GetAltText(handle, address, length)
    const text = Buffer.from(memory().bytes.subarray(address, address + length - 2)).toString('utf16le')
    exports.free(address)
    return cleanText(text).trim()
  }

  #columnsOf(handle: Handle): number {
    const { exports, memory, scratch } = this.#pdfium
    const count = exports.FPDF_StructElement_GetAttributeCount(handle)
    for (let index = 0; index < Math.min(count, maxDepth); index += 1) {
      memory().bytes.set(Buffer.from('ColSpan\0'), this.#columnSpan)
      const attribute = exports.FPDF_StructElement_GetAttributeAtIndex(handle, index)
      const value = attribute === 0 ? 0 : exports.FPDF_StructElement_Attr_GetValue(attribute, this.#columnSpan)
      if (value === 0 || exports.FPDF_StructElement_Attr_GetNumberValue(value, scratch) === 0) continue
      return Math.round(memory().floats[scratch >> 2] ?? 1)
    }
    return 1
  }
}

/**
 * Whether a form of the page has marked content. Each form has its own marked-content identifiers, which the engine
 * does not distinguish from those of the page.
 */
function hasMarkedForm({ exports }: Pdfium, page: Handle): boolean {
  const count = exports.FPDFPage_CountObjects(page)
  if (count > maxObjects) return true
  let left = maxObjects
  for (let index = 0; index < count; index += 1) {
    const form = exports.FPDFPage_GetObject(page, index)
    if (exports.FPDFPageObj_GetType(form) !== objectType.form) continue
    const objects = Math.min(left, exports.FPDFFormObj_CountObjects(form))
    left -= objects
    for (let at = 0; at < objects; at += 1)
      if (exports.FPDFPageObj_GetMarkedContentID(exports.FPDFFormObj_GetObject(form, at)) >= 0) return true
  }
  return false
}

/** A string of the engine, which is `bytes` long with its final zero. */
function readUtf16({ memory }: Pdfium, bytes: number, address: number): string {
  if (bytes < 2 || bytes > scratchBytes) return ''
  return Buffer.from(memory().bytes.subarray(address, address + bytes - 2)).toString('utf16le')
}
