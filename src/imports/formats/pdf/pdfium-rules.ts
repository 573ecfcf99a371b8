import type { PageView } from './pdfium-view.ts'
import type { Rule } from './pdf-file.ts'
import type { Handle, Pdfium } from './start-pdfium.ts'

/** `FPDFPageObj_GetType`: paths, and images, as which dvips draws rules. */
const [pathType, imageType] = [2, 3]
/** How many objects of a page are looked at; a page with more is a drawing. */
const maxObjects = 10_000
/** In points: rules of formulas are thin; the engine adds up to a point on each side of a path. */
const maxHeight = 2.2
const minWidth = 2

/** The horizontal rules of a page that is not turned, from top to bottom; none of those inside of forms. */
export function readRules({ exports, memory, scratch: at }: Pdfium, page: Handle, { matrix }: PageView): Rule[] {
  const [a = 1, b = 0, , d = -1, e = 0, f = 0] = matrix
  const count = exports.FPDFPage_CountObjects(page)
  if (b !== 0 || count > maxObjects) return []
  const rules: Rule[] = []
  for (let index = 0; index < count; index += 1) {
    const object = exports.FPDFPage_GetObject(page, index)
    const type = exports.FPDFPageObj_GetType(object)
    if (type !== pathType && type !== imageType) continue
    if (exports.FPDFPageObj_GetBounds(object, at, at + 4, at + 8, at + 12) === 0) continue
    const [left = 0, bottom = 0, right = 0, top = 0] = memory().floats.subarray(at >> 2, (at >> 2) + 4)
    if (top - bottom > maxHeight || right - left < minWidth) continue
    const [x0, x1] = [a * left + e, a * right + e].toSorted((one, other) => one - other) as [number, number]
    rules.push({ x0, x1, y: (d * (top + bottom)) / 2 + f })
  }
  return rules.sort((one, other) => one.y - other.y)
}
