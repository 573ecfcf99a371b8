import type { GreyPicture } from './grey-picture.ts'
import type { Box, InkComponent } from './ink-components.ts'
import { findRemainingLetters } from './remaining-ink.ts'

/** A picture that is composed of parts of a page. */
export interface Collage {
  picture: GreyPicture
  parts: CollagePart[]
}

export interface CollagePart {
  /** Its position on the page. */
  from: Box
  /** Its position in the collage, which contains it twice. */
  to: Box
}

/** Maximum number of digits of an isolated number, and of the gaps between them, in heights of the taller one. */
const maxDigits = 4
const maxGap = 1.2
/** The tallest digit, pixels at 300 per inch: 24 points. */
const maxHeight = 100
/** Maximum number of parts; a page with more is a drawing. */
const maxParts = 300
/** Sizes in a collage, pixels: its width, its rows, and the digits, which have the height that Tesseract reads best. */
const collage = { width: 2400, row: 90, digit: 36, gap: 100, repeatGap: 10 }
/** Maximum enlargement. */
const maxScale = 3

/**
 * Arranges what may be an isolated number (of a page or a line) outside the boxes that were read, in rows and in the
 * same height, each twice. Tesseract ignores a single digit on a page, and is unsure of a single digit in a row; if it
 * reads the same twice, it is right. Null if there is none, or if there are more than a page has.
 */
export function collectIsolated(page: GreyPicture, read: readonly Box[]): Collage | null {
  const { rest, letters } = findRemainingLetters(page, read)
  const groups = groupNeighbours(letters).filter(isNumberSized)
  if (groups.length === 0 || groups.length > maxParts) return null
  const sorted = groups.toSorted((a, b) => a.box.top - b.box.top || a.box.left - b.box.left)
  const parts = arrange(sorted.map(({ box }) => box))
  const height = Math.max(...parts.map(({ to }) => to.bottom)) + collage.gap
  const picture = { width: collage.width, height, pixels: new Uint8Array(collage.width * height).fill(255) }
  for (const [at, { letters: ink, box }] of sorted.entries()) {
    const { to } = parts[at] as CollagePart
    const cut = cutOut(rest, ink, box)
    const width = (to.right - to.left - collage.repeatGap) / 2
    copyScaled(cut, picture, { ...to, right: to.left + width })
    copyScaled(cut, picture, { ...to, left: to.right - width })
  }
  return { picture, parts }
}

interface Group {
  letters: InkComponent[]
  box: Box
}

/** Groups letters that are next to each other. */
function groupNeighbours(letters: readonly InkComponent[]): Group[] {
  const groups: Group[] = []
  let near: Group[] = []
  for (const letter of letters.toSorted((a, b) => a.left - b.left)) {
    near = near.filter(({ box }) => letter.left - box.right <= maxGap * maxHeight)
    const group = near.findLast(({ box }) => areNeighbours(box, letter))
    if (group) {
      group.letters.push(letter)
      group.box = around(group.box, letter)
    } else {
      const first = { letters: [letter], box: around(letter, letter) }
      groups.push(first)
      near.push(first)
    }
  }
  return groups
}

function areNeighbours(left: Box, right: Box): boolean {
  const heights = [left.bottom - left.top, right.bottom - right.top]
  const shared = Math.min(left.bottom, right.bottom) - Math.max(left.top, right.top)
  return shared * 2 >= Math.min(...heights) && right.left - left.right <= maxGap * Math.max(...heights)
}

function around(a: Box, b: Box): Box {
  return {
    left: Math.min(a.left, b.left),
    top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
  }
}

function isNumberSized({ letters, box }: Group): boolean {
  const [width, height] = [box.right - box.left, box.bottom - box.top]
  return letters.length <= maxDigits && height <= maxHeight && width <= maxDigits * 2 * height
}

/** Places boxes in rows, on common baselines. */
function arrange(boxes: readonly Box[]): CollagePart[] {
  let [left, bottom] = [collage.gap, collage.row]
  return boxes.map((from) => {
    const scale = Math.min(maxScale, collage.digit / (from.bottom - from.top))
    const [width, height] = [(from.right - from.left) * scale, (from.bottom - from.top) * scale].map(Math.ceil) as [
      number,
      number,
    ]
    const twice = 2 * width + collage.repeatGap
    if (left + twice + collage.gap > collage.width) [left, bottom] = [collage.gap, bottom + collage.row]
    const to = { left, top: bottom - height, right: left + twice, bottom }
    left += twice + collage.gap
    return { from, to }
  })
}

/** The letters alone, darkened so that the darkest pixel is black. */
function cutOut({ width, pixels }: GreyPicture, letters: readonly InkComponent[], box: Box): GreyPicture {
  const size = { width: box.right - box.left, height: box.bottom - box.top }
  const cut = new Uint8Array(size.width * size.height).fill(255)
  const factor = 255 / (255 - Math.min(...letters.map(({ darkest }) => darkest)))
  for (const { left, top, right, bottom } of letters)
    for (let y = top; y < bottom; y++)
      for (let x = left, to = (y - box.top) * size.width + left - box.left; x < right; x++, to++)
        cut[to] = Math.max(0, 255 - (255 - (pixels[y * width + x] as number)) * factor)
  return { ...size, pixels: cut }
}

/** The two pixels of a row around a place, and the share of the second one. */
function pixelsAround(at: number, count: number) {
  const place = Math.min(count - 1, Math.max(0, at))
  const first = Math.floor(place)
  return { first, second: Math.min(count - 1, first + 1), share: place - first }
}

/** Copies a picture into a box of another one, with bilinear interpolation. */
function copyScaled(from: GreyPicture, into: GreyPicture, { left, top, right, bottom }: Box): void {
  const [acrossScale, downScale] = [from.width / (right - left), from.height / (bottom - top)]
  for (let y = top; y < bottom; y++) {
    const down = pixelsAround((y - top + 0.5) * downScale - 0.5, from.height)
    const [upper, lower] = [down.first * from.width, down.second * from.width]
    for (let x = left; x < right; x++) {
      const across = pixelsAround((x - left + 0.5) * acrossScale - 0.5, from.width)
      const mix = (row: number) =>
        (from.pixels[row + across.first] as number) * (1 - across.share) +
        (from.pixels[row + across.second] as number) * across.share
      into.pixels[y * into.width + x] = mix(upper) * (1 - down.share) + mix(lower) * down.share
    }
  }
}
