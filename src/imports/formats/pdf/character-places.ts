import type { Character } from './character.ts'

/** The advance in ems of a character whose font does not say. */
const unknownAdvance = 0.5

/** How far a character is along its writing direction, from the origin of the page. */
export function along({ x, y, style }: Character): number {
  return x * style.x + y * style.y
}

/** How far a character is across its writing direction, upwards. */
export function across({ x, y, style }: Character): number {
  return y * style.x - x * style.y
}

/** The width of a character along its writing direction. */
export function advance({ width, style }: Character): number {
  return width > 0 ? width : style.em * unknownAdvance
}
