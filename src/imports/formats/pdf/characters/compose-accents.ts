import type { TextRun } from '../page/pdf-file.ts'

/** The combining mark for each accent that a font may have as a separate glyph. */
const marks: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '`': '\u0300',
    '\u02cb': '\u0300',
    '´': '\u0301',
    ˊ: '\u0301',
    ˆ: '\u0302',
    '^': '\u0302',
    '˜': '\u0303',
    '~': '\u0303',
    '¯': '\u0304',
    ˉ: '\u0304',
    '˘': '\u0306',
    '˙': '\u0307',
    '¨': '\u0308',
    '˚': '\u030a',
    '˝': '\u030b',
    ˇ: '\u030c',
    '¸': '\u0327',
    '˛': '\u0328',
  }),
)
const accent = '[`\u02cb´ˊˆ^˜~¯ˉ˘˙¨˚˝ˇ¸˛\u0300-\u0308\u030a-\u030c\u0327\u0328]'
const accentsAtEnd = new RegExp(`(?:^|[^\\s])(\\s?)(${accent}(?:\\s?${accent})?)$`, 'u')
const accentsOnly = new RegExp(`^${accent}(?:\\s?${accent})?$`, 'u')
const accentAtStart = new RegExp(`^(${accent})\\s?(?=$|[^\\s])`, 'u')
/** Accents below their letter. TeX fonts place them after the letter. */
const below = /[¸˛]|\u0327|\u0328/
const anyAccent = new RegExp(accent, 'u')
/** Accents inside a run: before a dotless letter, or between letters, where these characters can only be accents. */
const dotless = /[ \u00a0]?([`´ˆ˜¨¯˘])([ıȷ])/g
const between = /(?<=\p{L})(?!(?<=\p{Ll}).\p{Lu})([ˆ˜¨˘˙˚˝ˇ])(\p{L})/gu
const cedilla = /(\p{L})([¸˛])(?=\p{L})/gu
const letterAtStart = /^\p{L}/u
const lastWord = /(?:^|[^\p{L}\p{M}])([\p{L}\p{M}]+)$/u
const wholeWords = /(?<![\p{L}\p{M}])\p{L}[\p{L}\p{M}]*(?![\p{L}\p{M}])/gu

/** How far an accent and its letter overlap, in ems. */
const [minOverlap, maxOverlap] = [0.2, 1.5]
/** Maximum height of an accent above the baseline of its letter, in ems. */
const maxRaise = 0.5
const maxKnownWords = 50_000
/** Short words of languages with accents. They may precede any other word. */
const shortWords = new Set(
  (
    'a al ao aos as au aux avec com con da das de dei del dem den der des di die do dos du e el em en es et fi für i il im in ' +
    'is ist kai la las le les lo los más mit na nas no nos o os ou para par por pour que qui se si su sur um uma un una und ' +
    'une von vom y za zu zum zur'
  ).split(' '),
)

/**
 * Combines accents that the file contains as separate glyphs (OT1 and Type 3 fonts) with their letters. The positions
 * tell whether the accent precedes the letter, follows it or is below it. The result is in NFC. `words` collects whole
 * words of the book; they show whether a word begins with the accented letter or the accent interrupts a word.
 */
export function composeAccents(runs: readonly TextRun[], words: Set<string>): TextRun[] {
  const list = runs.map((run) => (anyAccent.test(run.text) ? { ...run, text: composeInside(run.text) } : run))
  if (!list.some((run) => anyAccent.test(run.text))) return list
  learnWholeWords(list, words)
  const result: TextRun[] = []
  for (const run of list) joinRun(result, run, words)
  return result.filter(({ text }) => text !== '')
}

/** Adds the whole words of the runs. Words at the end of a run with accents may be incomplete and are skipped. */
function learnWholeWords(runs: readonly TextRun[], words: Set<string>): void {
  for (const { text } of runs) {
    if (words.size >= maxKnownWords) return
    for (const [word] of (anyAccent.test(text) ? text.replace(/\S+\s?\S*$/u, '') : text).matchAll(wholeWords)) {
      if (word.length > 1 || /[aeoy]/i.test(word)) words.add(word.toLowerCase())
    }
  }
}

/**
 * Appends a run to those before it. An accent between them is combined with the first letter of the run or with the
 * last letter before it.
 */
function joinRun(result: TextRun[], next: TextRun, words: ReadonlySet<string>): void {
  const last = result.at(-1)
  if (!last || !isNear(last, next)) {
    result.push(next)
    return
  }
  const ending = accentsOnly.test(last.text) ? ['', '', last.text] : accentsAtEnd.exec(last.text)
  if (ending && letterAtStart.test(next.text) && next.x < last.x + last.width - next.size * minOverlap) {
    moveAccents(result, next, { space: ending[1] ?? '', accents: ending[2] ?? '', words })
    return
  }
  const starting = accentAtStart.exec(next.text)
  const overlap = last.x + last.width - next.x
  const isOver = overlap > last.size * minOverlap && overlap < last.size * maxOverlap
  if (starting && isOver && /\p{L}$/u.test(last.text)) {
    const composed = composeLetter(last.text, starting[1] ?? '')
    if (composed !== null) {
      result[result.length - 1] = { ...last, text: composed }
      const rest = next.text.slice(starting[1]?.length).trimStart()
      if (rest !== '') result.push({ ...next, text: rest, hasSpaceBefore: false })
      return
    }
  }
  result.push(next)
}

interface Ending {
  space: string
  accents: string
  words: ReadonlySet<string>
}

/**
 * Removes the accents from the end of the last run: a cedilla is combined with the letter before it, other accents with
 * the first letter of `next`.
 */
function moveAccents(result: TextRun[], next: TextRun, { space, accents, words }: Ending): void {
  const last = result.at(-1) as TextRun
  const stem = last.text.slice(0, last.text.length - accents.length).trimEnd()
  const signs = accents.replace(/\s/g, '')
  const under = below.test(signs[0] ?? '') ? composeLetter(stem, signs[0] ?? '') : null
  const [letter = '', ...letters] = next.text
  const over = under === null ? signs : signs.slice(1)
  const head = over === '' ? letter : composeLetter(letter, over)
  if (head === null) {
    result.push(next)
    return
  }
  result.pop()
  const isWord = isWordBefore(stem === '' ? (result.at(-1)?.text ?? '') : stem, words)
  const hasSpaceBefore = isWord && (stem === '' ? last.hasSpaceBefore : space !== '')
  const width = Math.max(0, next.x - last.x - (hasSpaceBefore ? next.size * 0.25 : 0))
  if (stem !== '') result.push({ ...last, text: under ?? stem, width })
  result.push({ ...next, text: head + letters.join(''), hasSpaceBefore })
}

/**
 * Whether a word ends before a space. Otherwise the space may just be the gap next to a narrow accent over a wide
 * letter.
 */
function isWordBefore(text: string, words: ReadonlySet<string>): boolean {
  const word = lastWord.exec(text)?.[1]
  return word === undefined || shortWords.has(word.toLowerCase()) || words.has(word.toLowerCase())
}

function isNear(last: TextRun, next: TextRun): boolean {
  return last.rotation === next.rotation && Math.abs(last.y - next.y) < Math.max(last.size, next.size) * maxRaise
}

/** The text with accents on its last letter; null if Unicode has no such letter. */
export function composeLetter(text: string, accents: string): string | null {
  const base = text.replace(/ı$/, 'i').replace(/ȷ$/, 'j')
  const composed = (base + [...accents].map((sign) => marks.get(sign) ?? sign).join('')).normalize('NFC')
  return /\p{M}$/u.test(composed) || composed === base ? null : composed
}

const spacingAccents = new Map([...marks].toReversed().map(([sign, mark]) => [mark.charCodeAt(0), sign.charCodeAt(0)]))

/** The accent that stands by itself for a combining mark, as codes; undefined if there is none. */
export function spacingAccentOf(mark: number): number | undefined {
  return spacingAccents.get(mark)
}

function composeInside(text: string): string {
  return text
    .replace(dotless, (all, sign: string, letter: string) => composeLetter(letter, sign) ?? all)
    .replace(cedilla, (all, letter: string, sign: string) => composeLetter(letter, sign) ?? all)
    .replace(between, (all, sign: string, letter: string) => composeLetter(letter, sign) ?? all)
    .normalize('NFC')
}
