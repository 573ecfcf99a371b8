import type { KnownBook } from './task-server.ts'

/** One `(Title, p. N)` of an answer. */
export interface Citation {
  title: string
  pages: number[]
}

/** A sentence of an answer with the citations in it or right after it. */
export interface CitedText {
  text: string
  citations: Citation[]
}

const pageList = String.raw`pp?\.?\s*\d+(?:\s*[-–—,&]\s*(?:and\s+)?\d+|\s+and\s+\d+)*`
const citationPattern = new RegExp(String.raw`^\s*(.+?),?\s+(${pageList})\s*$`, 'i')
const bracketPattern = new RegExp(String.raw`\(([^()]*?\b${pageList}[^()]*)\)`, 'gi')

/** Splits an answer into lines, each with its citations. */
export function paragraphs(answer: string): CitedText[] {
  return stripMarkdown(answer)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const { text, found } = extractCitations(line)
      return { text: text.replaceAll(/⟦\d+⟧/g, ' '), citations: found.flat() }
    })
}

/**
 * Returns the sentences of an answer that contain citations. A citation after a full stop belongs to the sentence
 * before it.
 */
export function citedSentences(answer: string): CitedText[] {
  return stripMarkdown(answer)
    .split('\n')
    .flatMap((line) => {
      const { text, found } = extractCitations(line)
      const joined = text.replaceAll(/([.!?])((?:\s*⟦\d+⟧)+)/g, '$2$1')
      return joined.split(/(?<=[.!?])\s+/).map((sentence) => ({
        text: sentence.replaceAll(/⟦\d+⟧/g, ' '),
        citations: [...sentence.matchAll(/⟦(\d+)⟧/g)].flatMap(([, at]) => found[Number(at)] ?? []),
      }))
    })
    .filter(({ citations }) => citations.length > 0)
}

/** Replaces each citation in brackets with a mark. */
function extractCitations(line: string): { text: string; found: Citation[][] } {
  const found: Citation[][] = []
  const text = line.replaceAll(bracketPattern, (whole, inside: string) => {
    const citations = inside.split(';').map(parseCitation)
    if (citations.includes(null)) return whole
    found.push(citations as Citation[])
    return `⟦${found.length - 1}⟧`
  })
  return { text, found }
}

function parseCitation(text: string): Citation | null {
  const match = citationPattern.exec(text)
  if (!match) return null
  const [, title = '', list = ''] = match
  const pages = list
    .replace(/^pp?\.?/i, '')
    .split(/,|&|\band\b/)
    .flatMap((part) => {
      const [from = Number.NaN, to = from] = part.split(/[-–—]/).map(Number)
      return Array.from({ length: Math.min(to - from + 1, 50) || 0 }, (_, at) => from + at)
    })
  return { title: title.trim(), pages }
}

/** Replaces quotation marks of all kinds with straight ones. */
export function plainQuotes(text: string): string {
  return text.replaceAll(/[‘’]/g, "'").replaceAll(/[“”]/g, '"')
}

/** Removes Markdown marks in and around a citation. */
function stripMarkdown(answer: string): string {
  return plainQuotes(answer)
    .replaceAll(/\[([^\]]*)\]\([^)\s]*\)/g, '$1')
    .replaceAll(/[*_`]|^\s*(?:[-•#>]+|\d+\.)\s+/gm, '')
}

/** Finds the cited book by its title or the part before a colon, ignoring case and quotation marks. */
export function findCitedBook(title: string, known: readonly KnownBook[]): KnownBook | undefined {
  const normalized = normalizeTitle(title)
  return known.find((book) =>
    [normalizeTitle(book.title), normalizeTitle(book.title.split(':')[0] ?? '')].includes(normalized),
  )
}

function normalizeTitle(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/["'“”‘’«»]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
