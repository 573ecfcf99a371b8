import type { Character } from './character.ts'

/** The advance width in ems of a character whose font does not specify one. */
const unknownAdvance = 0.5
/** Marks over or under the letter before them, except those of right-to-left scripts, which files draw in any order. */
const mark = /^(?![\u0590-\u08ff])\p{M}/u

/** The position of a character along its writing direction, from the origin of the page, in points. */
export function along({ x, y, style }: Character): number {
  return x * style.x + y * style.y
}

/** The position of a character perpendicular to its writing direction, upwards, in points. */
export function across({ x, y, style }: Character): number {
  return y * style.x - x * style.y
}

/** The advance width of a character along its writing direction, in points; 0 for a mark on a letter. */
export function advance({ width, style, text }: Character): number {
  if (width > 0) return width
  return mark.test(text) ? 0 : style.em * unknownAdvance
}
