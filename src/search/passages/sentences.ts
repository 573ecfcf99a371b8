/**
 * The end of a sentence, including closing quotation marks and brackets, and numbers of notes in brackets. Long runs of full stops are read
 * once, from their beginning.
 */
const endPattern = /(?<![.!?…])[.!?…]+["'”’»)\]]*(?:\[[^[\]\n]{1,30}\]){0,8}(?=\s)|[。！？｡]+[」』”’）]*|[।॥؟۔]+/gu
/**
 * The text before a full stop that does not end a sentence: an initial, letters with full stops ("U.S."), or one of these
 * abbreviations.
 */
const abbreviation =
  /(?:^|[\s("'“„«[])(?:\p{Lu}|(?:\p{L}{1,2}\.){1,3}\p{L}|mr|mrs|ms|dr|prof|st|vs|etc|eg|ie|cf|fig|figs|no|nos|vol|p|pp|ch|sec|eq|al|approx|ca|bzw|z\.\s?b|d\.\s?h|usw|nr|abb|s|bd|hrsg|sr|sra|m|mme|art|inc|ltd|jr|gen|col|lt|rev|op|cit|ed|eds|trans)\.$/iu
const continues = /^\s+["'“„«([]?\p{Ll}/u
const maxAbbreviation = 12
/** One letter more than the longest of these words. */
const minLongWord = 7

export interface Range {
  start: number
  end: number
}

/** The maximum length of a sentence, UTF-16 units. Longer text is divided, because text without full stops may be as long as a page. */
const maxSentence = 2000

/**
 * Returns the sentences of a part of a text, without surrounding white space. Divides very long ones. Takes time linear in the length of
 * the part.
 */
export function sentencesOf(text: string, { start, end }: Range): Range[] {
  const part = text.slice(start, end)
  const found: Range[] = []
  let from = 0
  for (const match of part.matchAll(endPattern)) {
    const to = match.index + match[0].length
    if (isInside(part, match.index, to)) continue
    addTrimmed(found, part, [from, to])
    from = to
  }
  addTrimmed(found, part, [from, part.length])
  return found.map((range) => ({ start: range.start + start, end: range.end + start }))
}

/** True for punctuation after which the sentence continues. */
function isInside(part: string, at: number, to: number): boolean {
  // Nearly always, a capital follows a space.
  if (!(part[to] === ' ' && isAsciiCapital(part.charCodeAt(to + 1))) && continues.test(part.slice(to, to + 8)))
    return true
  if (part[at] !== '.' || to - at > 1) return false
  return !isLongWord(part, at) && abbreviation.test(part.slice(Math.max(0, at - maxAbbreviation), at + 1))
}

function isAsciiCapital(unit: number): boolean {
  return unit >= 0x41 && unit <= 0x5a
}

/** True if more small letters end at an offset than any abbreviation has. */
function isLongWord(text: string, end: number): boolean {
  for (let at = end - 1; at >= end - minLongWord; at--) {
    const unit = text.charCodeAt(at)
    if (!(unit >= 0x61 && unit <= 0x7a)) return false
  }
  return true
}

function addTrimmed(found: Range[], part: string, [from, to]: [number, number]): void {
  let [start, end] = [from, to]
  while (start < end && isSpace(part, start)) start++
  while (end > start && isSpace(part, end - 1)) end--
  while (end - start > maxSentence) {
    const cut = cutOf(part, start)
    found.push({ start, end: cut })
    start = cut
    while (start < end && isSpace(part, start)) start++
  }
  if (end > start) found.push({ start, end })
}

function isSpace(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit === 0x20 || ((unit < 0x20 || unit >= 0xa0) && /\s/.test(text[at] as string))
}

/** Returns the end of the first piece of a long text: before a space if possible, never inside a character. */
function cutOf(text: string, start: number): number {
  const half = start + maxSentence / 2
  // Only in this piece: a search in the whole text would be repeated for each piece of a text without spaces.
  const space = text.slice(start, half + 1).lastIndexOf(' ')
  if (space > 0) return start + space
  return isLowSurrogate(text.charCodeAt(half)) ? half + 1 : half
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
