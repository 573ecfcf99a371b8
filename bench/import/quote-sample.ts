import { createHash } from 'node:crypto'

/** A sentence as a reader copies it, and its position. */
export interface SampledQuote {
  text: string
  /** The page on which it begins, from 1. */
  page: number
}

const sentenceEnd = /(?<=[\p{Ll}\p{Nd})\]"'”’][.!?]["”’)]?)\s+(?=[\p{Lu}"“‘(])/u
const minWords = 8
const maxWords = 25
/** Represents a page break inside a sentence. */
const pageBreak = '\f'

/**
 * Samples sentences of 8 to 25 words from a text with form feeds between its pages (pdftotext). Deterministic; a
 * sentence may span a page end.
 */
export function sampleQuotes(text: string, wanted: number): SampledQuote[] {
  return sentencesOf(text)
    .filter(({ text: sentence }) => isQuotable(sentence))
    .map((quote) => ({ quote, rank: createHash('sha256').update(`${quote.page} ${quote.text}`).digest('hex') }))
    .sort((a, b) => a.rank.localeCompare(b.rank))
    .slice(0, wanted)
    .map(({ quote }) => ({ ...quote, text: quote.text.replaceAll(pageBreak, '\n') }))
}

function* paragraphsOf(text: string): Generator<{ text: string; page: number }> {
  let page = 1
  for (const paragraph of text.split(/\n\s*\n/)) {
    const indent = paragraph.length - paragraph.trimStart().length
    page += paragraph.slice(0, indent).split(pageBreak).length - 1
    yield { text: paragraph.slice(indent), page }
    page += paragraph.slice(indent).split(pageBreak).length - 1
  }
}

function sentencesOf(text: string): SampledQuote[] {
  const sentences: SampledQuote[] = []
  for (const paragraph of paragraphsOf(text)) {
    let { page } = paragraph
    for (const sentence of paragraph.text.split(sentenceEnd)) {
      sentences.push({ text: sentence.trim(), page })
      page += sentence.split(pageBreak).length - 1
    }
  }
  return sentences
}

/** True for a complete sentence of words in decodable letters. */
function isQuotable(text: string): boolean {
  const words = text.match(/\S+/g) ?? []
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  return (
    words.length >= minWords &&
    words.length <= maxWords &&
    letters > text.length / 2 &&
    /[.!?؟]["”’)]?$/u.test(text) &&
    !/[\p{Co}\p{Cc}\ufffd]/u.test(text.replaceAll(/[\n\r\f\t]/g, ''))
  )
}
