import { countWords, runPoppler, sizeOf } from './ocr-reference.ts'

/** Maximum share of words that lie on others: a printed page has none. */
const maxCovered = 0.02

/**
 * True if the text of a page, from 1, can be seen: at least `minWords` words are inside the crop box, which is the drawn
 * part, and words do not lie on each other, as the clipped parts of an included page do. pdftotext returns the text of
 * the whole sheet.
 */
export function isTextVisible(file: string, page: number, minWords: number): boolean {
  return isInsideCropBox(file, page, minWords) && coveredShare(file, page) <= maxCovered
}

function isInsideCropBox(file: string, page: number, minWords: number): boolean {
  const pages = ['-f', String(page), '-l', String(page)]
  const boxes = runPoppler('pdfinfo', '-box', ...pages, file)
  const boxOf = (name: string) => new RegExp(`${name}: +([-\\d. ]+)`).exec(boxes)?.[1]?.split(/ +/).map(Number) ?? []
  const [left = 0, bottom = 0, right = 0, top = 0] = boxOf('CropBox')
  if (boxOf('MediaBox').join(' ') === boxOf('CropBox').join(' ')) return true
  const size = ['-W', String(Math.ceil(right - left)), '-H', String(Math.ceil(top - bottom))]
  const seen = runPoppler('pdftotext', ...pages, '-cropbox', '-x', '0', '-y', '0', ...size, file, '-')
  return sizeOf(countWords(seen)) >= minWords
}

interface Place {
  left: number
  top: number
  right: number
  bottom: number
}

function coveredShare(file: string, page: number): number {
  const table = runPoppler('pdftotext', '-bbox', '-f', String(page), '-l', String(page), file, '-')
  const rows = table.matchAll(/<word xMin="(.+?)" yMin="(.+?)" xMax="(.+?)" yMax="(.+?)">(.*?)<\/word>/g)
  const places = [...rows]
    .filter(([, , , , , text]) => /[\p{L}\p{N}]{2}/u.test(text ?? ''))
    .map(([, left, top, right, bottom]): Place => ({
      left: Number(left),
      top: Number(top),
      right: Number(right),
      bottom: Number(bottom),
    }))
  const covered = places.filter((place) => places.some((other) => other !== place && covers(place, other)))
  return covered.length / Math.max(1, places.length)
}

/** True if two words of a similar size share half of the narrower one. The boxes of close lines touch. */
function covers(one: Place, other: Place): boolean {
  const heights = [one.bottom - one.top, other.bottom - other.top]
  const widths = [one.right - one.left, other.right - other.left]
  const sharedHeight = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)
  const sharedWidth = Math.min(one.right, other.right) - Math.max(one.left, other.left)
  return sharedHeight > 0.6 * Math.max(...heights) && sharedWidth > 0.5 * Math.min(...widths)
}
