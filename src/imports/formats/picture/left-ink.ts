import type { GreyPicture } from './grey-picture.ts'
import { findInkComponents, type Box, type InkComponent } from './ink-components.ts'

/** How high a letter is, pixels at 300 an inch: a digit of 4 points, and a letter of 36. */
const letterHeight = { min: 10, max: 150 }
/** The widest letter, in heights; ligatures and letters that touch are wider, rules far more. */
const maxLetterWidth = 6
/** Letters that are worth another look: fewer are not found between what else is left, more are a texture. */
const letterCount = { min: 4, max: 20_000 }
/** A letter that is nowhere darker than this is a shadow, and one of fewer pixels a stain. */
const palest = 200
const minArea = 30
/** Pixels around ink that belong to it though they are brighter. */
const edge = 2

/**
 * The letters of a prepared page that are in none of the boxes that were read, as black as the darkest of their own pixels allows, on white; null when
 * fewer are left than a word has, or more than a page.
 */
export function leftInk(page: GreyPicture, read: readonly Box[]): GreyPicture | null {
  const rest = { ...page, pixels: page.pixels.slice() }
  for (const box of read) whiten(rest, box)
  const letters = findInkComponents(rest, 255)?.filter(isLetter) ?? []
  if (letters.length < letterCount.min || letters.length > letterCount.max) return null
  const pixels = new Uint8Array(page.pixels.length).fill(255)
  for (const letter of letters) copyDarkened(rest, letter, pixels)
  return { ...page, pixels }
}

function whiten({ width, height, pixels }: GreyPicture, box: Box): void {
  const [left, right] = [Math.max(0, box.left - edge), Math.min(width, box.right + edge)]
  for (let y = Math.max(0, box.top - edge); y < Math.min(height, box.bottom + edge); y++)
    if (right > left) pixels.fill(255, y * width + left, y * width + right)
}

function isLetter({ left, right, top, bottom, area, darkest }: InkComponent): boolean {
  const [width, height] = [right - left, bottom - top]
  const isSized = height >= letterHeight.min && height <= letterHeight.max && width <= height * maxLetterWidth
  return isSized && darkest < palest && area >= minArea
}

function copyDarkened({ width, pixels }: GreyPicture, letter: InkComponent, to: Uint8Array): void {
  const factor = 255 / (255 - letter.darkest)
  for (let y = letter.top; y < letter.bottom; y++)
    for (let x = letter.left, at = y * width + letter.left; x < letter.right; x++, at++)
      to[at] = Math.min(to[at] as number, 255 - (255 - (pixels[at] as number)) * factor)
}
