import { findFigureMarkers, withoutFigureMarkers } from './figure-markers.ts'

/** Counts over a book's pages, from which its health is derived. Characters exclude white space. */
export interface PageCounts {
  pages: number
  /** Pages without words that are not garbled; the caption of a figure counts as words. */
  blankPages: number
  /** Pages whose only words are captions. */
  captionPages: number
  /** Pages with a picture and fewer than 50 characters: scans. */
  scannedPages: number
  /** Pages with more than 20 % unusable characters. */
  garbledPages: number
  characters: number
  words: number
}

const maxScanCharacters = 50
const maxGarbledShare = 0.2

export function emptyPageCounts(): PageCounts {
  return { pages: 0, blankPages: 0, captionPages: 0, scannedPages: 0, garbledPages: 0, characters: 0, words: 0 }
}

/** The text of a page, whether a picture covers most of it, and the share (0 to 1) of unreadable characters. */
export interface CountedPage {
  content: string
  picture: boolean
  garbled: number
}

/** True if the text of a page is unusable: the page is a scan, or its letters are wrong. */
export function lacksText({ content, picture, garbled }: CountedPage): boolean {
  return isGarbled({ garbled }) || (picture && countText(content).characters < maxScanCharacters)
}

/** True if the share of unreadable characters of a page is higher than that of any good page. */
export function isGarbled({ garbled }: Pick<CountedPage, 'garbled'>): boolean {
  return garbled > maxGarbledShare
}

/** The counts of a book after one page was replaced. */
export function recountPage(
  counts: PageCounts,
  { before, after }: { before: CountedPage; after: CountedPage },
): PageCounts {
  const old = emptyPageCounts()
  countPage(old, before)
  const added = emptyPageCounts()
  countPage(added, after)
  const recounted = { ...counts }
  for (const key of Object.keys(counts) as (keyof PageCounts)[])
    recounted[key] = Math.max(0, counts[key] - old[key] + added[key])
  return recounted
}

/** Adds one page to `counts`. */
export function countPage(counts: PageCounts, page: CountedPage): void {
  const { characters, words } = countText(page.content)
  counts.pages += 1
  counts.characters += characters
  counts.words += words
  if (isGarbled(page)) counts.garbledPages += 1
  else if (words === 0 && hasCaption(page.content)) counts.captionPages += 1
  else if (words === 0) counts.blankPages += 1
  if (page.picture && characters < maxScanCharacters) counts.scannedPages += 1
}

function hasCaption(content: string): boolean {
  return findFigureMarkers(content).some(({ caption }) => countText(caption).words > 0)
}

/**
 * Counts visible characters and words like word processors do: a word is a run without white space that has a letter or
 * digit; each Han or kana character is one word. Figure markers do not count.
 */
export function countText(markdown: string): { characters: number; words: number } {
  const text = withoutFigureMarkers(markdown)
  let characters = 0
  let words = 0
  let inWord = false
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (isSpace(unit)) {
      inWord = false
      continue
    }
    if (!isLowSurrogate(unit)) characters += 1
    if (isHanOrKana(unit)) {
      words += 1
      inWord = false
    } else if (!inWord && isWordCharacter(unit)) {
      words += 1
      inWord = true
    }
  }
  return { characters, words }
}

function isSpace(unit: number): boolean {
  return unit <= 0x20 || unit === 0xa0 || (unit >= 0x2000 && unit <= 0x200b) || unit === 0x3000 || unit === 0xfeff
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

function isHanOrKana(unit: number): boolean {
  return (unit >= 0x3041 && unit <= 0x30ff) || (unit >= 0x3400 && unit <= 0x9fff) || (unit >= 0xf900 && unit <= 0xfaff)
}

/** True for ASCII letters and digits, and everything from U+00C0 on except punctuation and symbol blocks. */
function isWordCharacter(unit: number): boolean {
  if (unit < 0x80) return (unit >= 0x30 && unit <= 0x39) || ((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a)
  return unit >= 0xc0 && !(unit >= 0x2000 && unit <= 0x2bff) && !(unit >= 0x3000 && unit <= 0x3040) && unit !== 0xfffd
}
