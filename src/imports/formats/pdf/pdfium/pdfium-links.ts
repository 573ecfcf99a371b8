import { boxAround, hiddenFlags, maxAnnotations, maxBoxes, toAddress } from '../page/annotation-parts.ts'
import type { PageAnnotation } from '../page/pdf-file.ts'
import type { Address, Handle, Pdfium } from './start-pdfium.ts'

/** Subtypes of annotations (`FPDFAnnot_GetSubtype`). A popup shows the text of another annotation. */
const [linkType, popupType] = [2, 16]
/** Types of actions (`FPDFAction_GetType`). */
const [goTo, openAddress] = [1, 3]
/** Limit on the length of an address, in bytes. */
const maxAddressBytes = 8_000
const plainAddress = /^[\x21-\x7e]+$/

/** A page whose annotations are read, and its document. */
interface Place {
  document: Handle
  page: Handle
  /** The number of the page, from 1. */
  number: number
  pageCount: number
  /** Converts page coordinates to points from the top left. */
  matrix: readonly number[]
  /** The page indexes of destinations that were looked up. The engine searches the pages for each. */
  pageIndexes: Map<Handle, number>
}

/**
 * The links of a page, read by PDFium. Returns null if the page has other annotations, or links with other actions, which
 * only pdf.js reads.
 */
export function readLinks(pdfium: Pdfium, place: Place): PageAnnotation[] | null {
  const { exports } = pdfium
  const count = Math.min(exports.FPDFPage_GetAnnotCount(place.page), maxAnnotations)
  const links: PageAnnotation[] = []
  for (let index = 0; index < count; index += 1) {
    const annotation = exports.FPDFPage_GetAnnot(place.page, index)
    if (annotation === 0) return null
    try {
      const type = exports.FPDFAnnot_GetSubtype(annotation)
      if (type === popupType) continue
      if (type !== linkType) return null
      if ((exports.FPDFAnnot_GetFlags(annotation) & hiddenFlags) !== 0) continue
      const link = exports.FPDFAnnot_GetLink(annotation)
      const target = link === 0 ? undefined : readTarget(pdfium, link, place)
      if (target === undefined) return null
      if (target === null || target === `page:${place.number}`) continue
      links.push({
        kind: 'link',
        boxes: readBoxes(pdfium, { annotation, link }, place),
        text: '',
        author: null,
        target,
      })
    } finally {
      exports.FPDFPage_CloseAnnot(annotation)
    }
  }
  return links
}

/** The target of a link; null if it has none in this book or on the web, undefined if pdf.js has to read it. */
function readTarget(
  pdfium: Pdfium,
  link: Handle,
  { document, pageCount, pageIndexes }: Place,
): string | null | undefined {
  const { exports } = pdfium
  const action = exports.FPDFLink_GetAction(link)
  const type = action === 0 ? goTo : exports.FPDFAction_GetType(action)
  if (type === openAddress) return readAddress(pdfium, action, document)
  if (type !== goTo) return undefined
  const destination = exports.FPDFLink_GetDest(document, link)
  if (destination === 0) return undefined
  const index = pageIndexes.get(destination) ?? exports.FPDFDest_GetDestPageIndex(document, destination)
  pageIndexes.set(destination, index)
  return index >= 0 && index < pageCount ? `page:${index + 1}` : null
}

/** The address that an action opens. Addresses with unusual characters, or without a scheme, are left to pdf.js. */
function readAddress({ exports, memory }: Pdfium, action: Handle, document: Handle): string | null | undefined {
  const length = exports.FPDFAction_GetURIPath(document, action, 0, 0)
  if (length <= 1 || length > maxAddressBytes) return undefined
  const buffer: Address = exports.malloc(length)
  if (buffer === 0) return undefined
  exports.FPDFAction_GetURIPath(document, action, buffer, length)
  const text = Buffer.from(memory().bytes.subarray(buffer, buffer + length - 1)).toString('latin1')
  exports.free(buffer)
  const url = plainAddress.test(text) ? URL.parse(text) : null
  return url === null ? undefined : toAddress(url.href)
}

/** The bounding boxes of a link: one for each of its quadrilaterals, which must be inside its rectangle. */
function readBoxes(
  { exports, memory, scratch }: Pdfium,
  { annotation, link }: { annotation: Handle; link: Handle },
  { matrix }: Place,
): PageAnnotation['boxes'] {
  const at = scratch >> 2
  exports.FPDFAnnot_GetRect(annotation, scratch)
  const [left = 0, top = 0, right = 0, bottom = 0] = memory().floats.subarray(at, at + 4)
  const quads: number[][] = []
  const count = Math.min(exports.FPDFLink_CountQuadPoints(link), maxBoxes)
  for (let index = 0; index < count; index += 1) {
    exports.FPDFLink_GetQuadPoints(link, index, scratch)
    const points = [...memory().floats.subarray(at, at + 8)]
    const isInside = points.every((value, place) =>
      place % 2 === 0 ? value >= left && value <= right : value >= bottom && value <= top,
    )
    if (!isInside) return [boxAround([left, bottom, right, top], matrix)]
    quads.push(points)
  }
  if (quads.length === 0) quads.push([left, bottom, right, top])
  return quads.map((points) => boxAround(points, matrix))
}
