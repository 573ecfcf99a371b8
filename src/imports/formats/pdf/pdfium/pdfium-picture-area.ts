import { objectType } from './pdfium-object-type.ts'
import type { Handle, Pdfium } from './start-pdfium.ts'

/** The maximum number of objects of a page that are examined, including those in forms. */
const maxObjects = 5_000

/** The total area of the images of a page, in square points. */
export function pictureArea({ exports, memory, scratch }: Pdfium, page: Handle): number {
  const found: { object: Handle; scale: number }[] = []
  const add = (count: number, objectAt: (index: number) => Handle, scale: number): void => {
    const most = Math.min(count, maxObjects - found.length)
    for (let index = 0; index < most; index += 1) found.push({ object: objectAt(index), scale })
  }
  add(exports.FPDFPage_CountObjects(page), (index) => exports.FPDFPage_GetObject(page, index), 1)
  let area = 0
  for (const { object, scale } of found) {
    const type = exports.FPDFPageObj_GetType(object)
    if (type !== objectType.image && type !== objectType.form) continue
    if (exports.FPDFPageObj_GetMatrix(object, scratch) === 0) continue
    const [a = 0, b = 0, c = 0, d = 0] = memory().floats.subarray(scratch >> 2, (scratch >> 2) + 4)
    const own = scale * Math.abs(a * d - b * c)
    if (type === objectType.image) area += own
    else add(exports.FPDFFormObj_CountObjects(object), (index) => exports.FPDFFormObj_GetObject(object, index), own)
  }
  return area
}
