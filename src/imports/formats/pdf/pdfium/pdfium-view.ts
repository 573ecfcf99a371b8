import { advance } from '../characters/character-places.ts'
import type { Character } from '../characters/character.ts'
import type { Handle, Pdfium } from './start-pdfium.ts'

/**
 * The displayed size of a page in points, and the matrix that converts page coordinates to points from the top left.
 */
export interface PageView {
  width: number
  height: number
  matrix: readonly number[]
  /** Whether the origin or the middle of a character is on the page. In a cropped page, text may begin just outside. */
  shows(character: Character): boolean
}

/** The height of the middle of a lower-case letter above the baseline, in ems. */
const middle = 0.25

/** The view of a page with its rotation undone. */
export function readView({ exports, memory, scratch }: Pdfium, page: Handle): PageView {
  const known = exports.FPDF_GetPageBoundingBox(page, scratch) !== 0
  const at = scratch >> 2
  const [left = 0, top = 0, right = 0, bottom = 0] = known ? memory().floats.subarray(at, at + 4) : [0, 792, 612, 0]
  const [width, height] = [right - left, top - bottom]
  const isOnPage = (x: number, y: number): boolean => x >= left && x <= right && y >= bottom && y <= top
  const shows: PageView['shows'] = (character) => {
    const { x, y, style } = character
    if (isOnPage(x, y)) return true
    const [forth, up] = [advance(character) / 2, style.em * middle]
    return isOnPage(x + style.x * forth - style.y * up, y + style.y * forth + style.x * up)
  }
  const turns = exports.FPDFPage_GetRotation(page)
  if (turns === 1) return { width: height, height: width, matrix: [0, 1, 1, 0, -bottom, -left], shows }
  if (turns === 2) return { width, height, matrix: [-1, 0, 0, 1, right, -bottom], shows }
  if (turns === 3) return { width: height, height: width, matrix: [0, -1, -1, 0, top, right], shows }
  return { width, height, matrix: [1, 0, 0, -1, -left, top], shows }
}
