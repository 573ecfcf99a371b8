import { withoutFigureMarkers } from '../text/figure-markers.ts'

/** A link and its target. Its length is limited, so that hostile text takes linear time. */
const link = /\[([^[\]\n]{1,500})\]\((?:page:\d{1,6}|(?:https?|mailto):[^()\s]{1,2000})\)/g

/**
 * Counts words: runs of characters between spaces. Figure markers and link targets do not count. In scripts without
 * spaces between words, two characters count as a word in Chinese and Japanese, and five in Thai, Lao, Burmese and
 * Khmer.
 */
export function countWords(markdown: string): number {
  const plain = withoutFigureMarkers(markdown)
  const text = plain.includes('](') ? plain.replaceAll(link, '$1') : plain
  let [runs, ideographs, letters] = [0, 0, 0]
  let previousKind = gapKind
  for (let i = 0; i < text.length; i++) {
    const kind = classifyUnit(text.charCodeAt(i))
    if (kind === runKind && previousKind !== runKind) runs += 1
    else if (kind === ideographKind) ideographs += 1
    else if (kind === letterKind) letters += 1
    previousKind = kind
  }
  return runs + Math.ceil(ideographs / 2) + Math.ceil(letters / 5)
}

const gapKind = 0
const runKind = 1
const ideographKind = 2
const letterKind = 3

function classifyUnit(unit: number): number {
  if (unit < 0x0e00) return unit <= 0x20 || unit === 0xa0 ? gapKind : runKind
  if (unit <= 0x0fff || (unit >= 0x1780 && unit <= 0x17ff)) return letterKind
  if (unit < 0x2000) return runKind
  if (unit < 0x3040) return unit <= 0x200b || unit === 0x2028 || unit === 0x202f || unit >= 0x3000 ? gapKind : runKind
  if (unit <= 0x30ff || (unit >= 0x3400 && unit <= 0x9fff) || (unit >= 0xf900 && unit <= 0xfaff)) return ideographKind
  // Full-width punctuation.
  return unit >= 0xff00 && unit <= 0xff20 ? gapKind : runKind
}
