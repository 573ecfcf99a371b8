import type { Handle, Pdfium } from './start-pdfium.ts'

/** `FPDFPageObj_GetType` */
const [imageType, formType] = [3, 5]
/** How many objects are looked at, and how deep forms are followed. */
const limits = { objects: 5_000, depth: 8 }

/** The area of the images of a page, in square points. */
export function pictureArea({ exports, memory, scratch }: Pdfium, page: Handle): number {
  let left = limits.objects
  const areaOf = (object: Handle, scale: number, depth: number): number => {
    left -= 1
    const type = exports.FPDFPageObj_GetType(object)
    if (type !== imageType && type !== formType) return 0
    if (exports.FPDFPageObj_GetMatrix(object, scratch) === 0) return 0
    const at = scratch >> 2
    const [a = 0, b = 0, c = 0, d = 0] = memory().floats.subarray(at, at + 4)
    const own = scale * Math.abs(a * d - b * c)
    if (type === imageType) return own
    if (depth >= limits.depth) return 0
    let sum = 0
    const count = exports.FPDFFormObj_CountObjects(object)
    for (let index = 0; index < count && left > 0; index += 1)
      sum += areaOf(exports.FPDFFormObj_GetObject(object, index), own, depth + 1)
    return sum
  }
  let area = 0
  const count = exports.FPDFPage_CountObjects(page)
  for (let index = 0; index < count && left > 0; index += 1)
    area += areaOf(exports.FPDFPage_GetObject(page, index), 1, 0)
  return area
}
