import type { Address, Handle, Pdfium } from './start-pdfium.ts'

/** How a page is displayed: its size in points, and the matrix from the space of the page to points from the top left. */
export interface PageView {
  width: number
  height: number
  matrix: readonly number[]
}

/** The view of a page, with its rotation undone. `scratch` has room for four floats. */
export function readView({ exports, memory }: Pdfium, page: Handle, scratch: Address): PageView {
  const known = exports.FPDF_GetPageBoundingBox(page, scratch) !== 0
  const at = scratch >> 2
  const [left = 0, top = 0, right = 0, bottom = 0] = known ? memory().floats.subarray(at, at + 4) : [0, 792, 612, 0]
  const [width, height] = [right - left, top - bottom]
  const turns = exports.FPDFPage_GetRotation(page)
  if (turns === 1) return { width: height, height: width, matrix: [0, 1, 1, 0, -bottom, -left] }
  if (turns === 2) return { width, height, matrix: [-1, 0, 0, 1, right, -bottom] }
  if (turns === 3) return { width: height, height: width, matrix: [0, -1, -1, 0, top, right] }
  return { width, height, matrix: [1, 0, 0, -1, -left, top] }
}
