import type { Paragraph } from './text-paragraphs.ts'

const maxHeadingLength = 90
/** Headings that begin with a known word, and their relative levels. */
const worded: readonly (readonly [pattern: RegExp, level: number])[] = [
  [
    /^(?:part|book|volume|act|teil|buch|band|partie|livre|tome|parte|libro|livro|часть|книга|том)\s+\S{1,14}(?:\s*[.:—–-].{0,70})?\s*$/iu,
    1,
  ],
  [/^第[\d一二三四五六七八九十百千零〇两]{1,8}[部卷編编篇](?:\s.{0,40})?$/u, 1],
  [
    /^(?:chapter|canto|scene|letter|section|kapitel|chapitre|capítulo|capitulo|capitolo|rozdział|hoofdstuk|глава|розділ|فصل|κεφάλαιο)\s+\S{1,14}(?:\s*[.:—–-].{0,70}|\s+[^a-zа-я].{0,70})?\s*$/iu,
    2,
  ],
  [/^第[\d一二三四五六七八九十百千零〇两]{1,8}[章回节節話话](?:[\s：:].{0,40})?$/u, 2],
  [
    /^(?:preface|foreword|prologue|epilogue|introduction|conclusion|afterword|appendix(?:\s+\S{1,6})?|contents|vorwort|nachwort|einleitung|préface|avant-propos|épilogue|prólogo|epílogo|introducción|предисловие|эпилог|пролог|введение|序|序章|前言|后记|後記)[.:]?\s*$/iu,
    2,
  ],
]
const numbered = /^(?:[IVXLC]{1,8}|\d{1,3})\.?\s*$/
/** A heading that is only a number, such as `CHAPTER IV.` or `IV`. */
const numberOnly = /^(?:\p{L}{2,12}\s+[\p{L}\d-]{1,14}|[IVXLC]{1,8}|\d{1,3})[.:]?$/u
const underline = /^(?:={3,}|-{3,}|~{3,}|\*{3,})\s*$/

/** A heading of a plain text. */
export interface TextHeading {
  title: string
  level: number
  /** True if the next paragraph is the name of the chapter, which is in the title. */
  hasName: boolean
}

/**
 * The headings of a text by paragraph index: separate lines that begin with a word such as "Chapter", underlined lines,
 * or numerals after more than one blank line. Three in a row without text between them form a table of contents.
 */
export function findHeadings(paragraphs: readonly Paragraph[]): Map<number, TextHeading> {
  const found = new Map<number, TextHeading>()
  let run: number[] = []
  const endRun = (): void => {
    if (run.length >= 3) for (const index of run.slice(0, endOfList(run, found))) found.delete(index)
    run = []
  }
  for (let index = 0; index < paragraphs.length; index++) {
    const heading = headingOf(paragraphs, index)
    if (heading === null) {
      endRun()
      continue
    }
    found.set(index, heading)
    run.push(index)
    if (heading.hasName) index++
  }
  endRun()
  const top = found.values().reduce((least, { level }) => Math.min(least, level), Infinity)
  for (const heading of found.values()) heading.level -= top - 1
  return found
}

/**
 * How many headings of a run form a table of contents: all except the last one and its parents, such as a part before
 * its chapter.
 */
function endOfList(run: readonly number[], found: ReadonlyMap<number, TextHeading>): number {
  const levelAt = (at: number): number => found.get(run[at] ?? -1)?.level ?? 0
  let first = run.length - 1
  while (first > 0 && levelAt(first - 1) < levelAt(first)) first--
  return first
}

function headingOf(paragraphs: readonly Paragraph[], index: number): TextHeading | null {
  const heading = singleHeading(paragraphs[index] as Paragraph)
  const next = paragraphs[index + 1]
  if (heading === null || next === undefined || !numberOnly.test(heading.title) || !isName(next)) return heading
  const name = next.lines.map((line) => line.trim()).join(' ')
  return { ...heading, title: joinName(heading.title, name), hasName: true }
}

/** True for a paragraph of capitals that is the name of the chapter whose number is above it. */
function isName(paragraph: Paragraph): boolean {
  const name = paragraph.lines.map((line) => line.trim()).join(' ')
  const isShort = paragraph.lines.length <= 2 && name.length <= maxHeadingLength
  return isShort && /\p{Lu}{2}/u.test(name) && !/\p{Ll}/u.test(name) && singleHeading(paragraph) === null
}

function joinName(title: string, name: string): string {
  return `${title.replace(/[.:]$/, '')}: ${name}`
}

function singleHeading({ lines, blankBefore }: Paragraph): TextHeading | null {
  const [first = '', second = ''] = lines
  const title = first.trim()
  if (title.length > maxHeadingLength) return null
  if (lines.length === 2 && underline.test(second.trim()))
    return { title, level: second.trim().startsWith('=') ? 1 : 2, hasName: false }
  if (lines.length > 2) return null
  if (lines.length === 1 && blankBefore >= 2 && numbered.test(title)) return { title, level: 2, hasName: false }
  const level = worded.find(([pattern]) => pattern.test(title))?.[1]
  if (level === undefined) return null
  // The line below the number of a chapter may contain its name.
  const name = second.trim()
  if (name.length > maxHeadingLength || /^\p{Ll}/u.test(name)) return null
  return { title: name === '' ? title : joinName(title, name), level, hasName: false }
}
