import type { GreyPicture } from './grey-picture.ts'
import { findInkComponents, type Box, type InkComponent } from './ink-components.ts'

/** Height of a letter, pixels at 300 per inch: from a digit of 4 points to a letter of 36. */
const letterHeight = { min: 10, max: 150 }
/** Maximum width of a letter, in heights; allows for ligatures and touching letters, unlike rules. */
const maxLetterWidth = 6
/** Number of letters for which a second recognition pays off: fewer are lost among other ink, more are a texture. */
const letterCount = { min: 4, max: 20_000 }
/** A letter without darker pixels is a shadow, and one with fewer pixels is a stain. */
const palest = 200
const minArea = 30
/** Width of the brighter edge around ink that belongs to it, pixels. */
const edge = 2

/**
 * Extracts the letters of a prepared page that are outside the boxes that were read. Each is darkened so that its
 * darkest pixel is black, on white. Null if fewer remain than a word has, or more than a page has.
 */
export function remainingInk(page: GreyPicture, read: readonly Box[]): GreyPicture | null {
  const { rest, letters } = findRemainingLetters(page, read)
  if (letters.length < letterCount.min) return null
  const pixels = new Uint8Array(page.pixels.length).fill(255)
  for (const letter of letters) copyDarkened(rest, letter, pixels)
  return { ...page, pixels }
}

/**
 * The components that have the size of letters outside the boxes that were read, and the page without these boxes. No
 * letters if there are more than a page has.
 */
export function findRemainingLetters(
  page: GreyPicture,
  read: readonly Box[],
): { rest: GreyPicture; letters: InkComponent[] } {
  const rest = { ...page, pixels: page.pixels.slice() }
  for (const box of read) whiten(rest, box)
  const letters = findInkComponents(rest, 255)?.filter(isLetter) ?? []
  return { rest, letters: letters.length > letterCount.max ? [] : letters }
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
