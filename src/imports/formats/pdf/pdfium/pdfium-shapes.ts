import { objectType } from './pdfium-object-type.ts'
import type { CellLine } from './cell-lines.ts'
import type { Dot } from './drawn-bullets.ts'
import type { PageView } from './pdfium-view.ts'
import type { Rule } from '../page/pdf-file.ts'
import type { Handle, Pdfium } from './start-pdfium.ts'

/** The maximum number of objects of a page that are examined. A page with more is a drawing. */
const maxObjects = 10_000
/**
 * Maximum thickness and minimum length of a rule, in points. Rules in formulas are thin, and the engine adds up to a
 * point on each side of a path.
 */
const maxHeight = 2.2
const minWidth = 2
/** Maximum thickness and minimum length of the heavy rules above and below tables, in points. */
const heavy = { maxHeight: 4.5, minWidth: 36 }
/** Minimum height of a vertical line, in points. A shorter one is a symbol. */
const minCellHeight = 6
/** The side lengths of a dot, and how much they may differ, in points. */
const dotSides = { least: 1.5, most: 14, difference: 0.5 }

/** The shapes that are drawn on a page in addition to its text. */
export interface Shapes {
  /** The horizontal rules, from top to bottom. */
  rules: Rule[]
  /** The small paths that are about as wide as high, such as discs and squares. */
  dots: Dot[]
  /** The vertical lines. */
  cellLines: CellLine[]
}

/** The shapes of a page that is not rotated, except for those inside forms. */
export function readShapes({ exports, memory, scratch: at }: Pdfium, page: Handle, { matrix }: PageView): Shapes {
  const [a = 1, b = 0, , d = -1, e = 0, f = 0] = matrix
  const count = exports.FPDFPage_CountObjects(page)
  const shapes: Shapes = { rules: [], dots: [], cellLines: [] }
  if (b !== 0 || count > maxObjects) return shapes
  for (let index = 0; index < count; index += 1) {
    const object = exports.FPDFPage_GetObject(page, index)
    const type = exports.FPDFPageObj_GetType(object)
    // dvips draws rules as images.
    if (type !== objectType.path && type !== objectType.image) continue
    if (exports.FPDFPageObj_GetBounds(object, at, at + 4, at + 8, at + 12) === 0) continue
    const [left = 0, bottom = 0, right = 0, top = 0] = memory().floats.subarray(at >> 2, (at >> 2) + 4)
    const [x0, x1] = [Math.min(a * left, a * right) + e, Math.max(a * left, a * right) + e]
    const y = (d * (top + bottom)) / 2 + f
    if (top - bottom <= maxHeight && right - left >= minWidth) shapes.rules.push({ x0, x1, y })
    else if (top - bottom <= heavy.maxHeight && right - left >= heavy.minWidth)
      shapes.rules.push({ x0, x1, y, isHeavy: true })
    if (right - left <= maxHeight && top - bottom >= minCellHeight) {
      const [y0, y1] = [Math.min(d * bottom, d * top) + f, Math.max(d * bottom, d * top) + f]
      shapes.cellLines.push({ x: (x0 + x1) / 2, y0, y1 })
    }
    if (type === objectType.path && isDot(right - left, top - bottom)) shapes.dots.push({ x0, x1, y })
  }
  shapes.rules.sort((one, other) => one.y - other.y)
  return shapes
}

function isDot(width: number, height: number): boolean {
  return width >= dotSides.least && width <= dotSides.most && Math.abs(width - height) <= dotSides.difference
}
