/**
 * Measures how many quotations of real books `check_citations` finds: `node bench/import-quotes.ts DIR [--take N]
 * [--part tune|report] [--misses FILE]`. Reads PDFs like an import, takes 20 sentences of 8 to 25 words of each from
 * the text of pdftotext, and looks for them with the matcher on their page and the adjacent ones, including across page
 * ends. To check that wrong quotations are refused, each sentence is also looked for with one of its words replaced.
 * Prints the share of found sentences, and the share of those that mutool's text contains word for word. Files whose
 * names begin with 0–7 are for tuning, 8–f for reporting.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { mutoolText } from './import/peers.ts'
import { pdftotextOf, wordsOf } from './import/measure-pdf.ts'
import { sampleQuotes, type SampledQuote } from './import/quote-sample.ts'
import { findQuote, prepareQuote } from '../src/citations/find-quote.ts'
import { prepareText } from '../src/citations/searchable-text.ts'
import { defaultLimits } from '../src/imports/formats/format.ts'
import { openPdf, warmPdf } from '../src/imports/formats/pdf/open-pdf.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    take: { type: 'string', default: '60' },
    part: { type: 'string', default: 'tune' },
    only: { type: 'string' },
    misses: { type: 'string' },
  },
})
const [directory] = positionals
if (directory === undefined)
  throw new Error('usage: node bench/import-quotes.ts DIR [--take N] [--part tune|report] [--misses FILE]')

const quotesPerFile = 20
/** Number of pages before and after that are searched, like in `check_citations`. */
const distance = 2

const counts = { all: 0, found: 0, agreed: 0, agreedFound: 0, wrong: 0, wrongFound: 0 }
const misses: object[] = []

function filesOf(folder: string): string[] {
  const mine = values.part === 'tune' ? /^[0-7]/ : /^[89a-f]/
  const hash = (name: string): string => createHash('sha256').update(name).digest('hex')
  return readdirSync(folder)
    .filter(
      (name) => name.endsWith('.pdf') && (values.only === undefined ? mine.test(name) : name.startsWith(values.only)),
    )
    .toSorted((a, b) => hash(a).localeCompare(hash(b)))
    .slice(0, Number(values.take))
}

async function pagesOf(file: string): Promise<string[]> {
  const book = await openPdf(readFileSync(file), defaultLimits)
  try {
    const pages: string[] = []
    for await (const { content } of book.pages()) pages.push(content)
    await book.toc()
    return pages
  } finally {
    await book.close()
  }
}

/** True if the matcher finds a quotation on a page near its own, or across page ends. */
function isFound(pages: readonly string[], { text, page }: SampledQuote): boolean {
  const quote = prepareQuote(text)
  if (quote.normal === '') return false
  for (let at = Math.max(0, page - 1 - distance); at < Math.min(pages.length, page + distance); at++) {
    const [first = '', second = ''] = pages.slice(at, at + 2)
    if (findQuote(prepareText(first), quote) || findQuote(prepareText(`${first}\n${second}`), quote)) return true
  }
  return false
}

/** Replaces the longest word of a sentence. */
function alterText(text: string): string {
  const longest = (text.match(/\p{L}+/gu) ?? []).reduce((a, b) => (b.length > a.length ? b : a), '')
  return text.replace(longest, 'quicksilver')
}

function measure(name: string, pages: readonly string[], quotes: readonly SampledQuote[], peer: string | null): void {
  const fold = (text: string): string => ` ${wordsOf(text.replaceAll(/[-\u2010\u00ad]\n/g, '')).join(' ')} `
  const peerWords = peer === null ? null : fold(peer)
  let found = 0
  for (const quote of quotes) {
    const isInPages = isFound(pages, quote)
    const agreed = peerWords?.includes(fold(quote.text)) ?? false
    if (isInPages) found++
    else misses.push({ file: name, agreed, ...quote })
    counts.all++
    if (isInPages) counts.found++
    if (agreed) counts.agreed++
    if (agreed && isInPages) counts.agreedFound++
    counts.wrong++
    if (isFound(pages, { ...quote, text: alterText(quote.text) })) counts.wrongFound++
  }
  if (found < quotes.length) console.log(`${name}  ${found} of ${quotes.length}`)
}

await warmPdf()
for (const name of filesOf(directory)) {
  const file = join(directory, name)
  try {
    const quotes = sampleQuotes(pdftotextOf(file), quotesPerFile)
    if (quotes.length > 0) measure(name, await pagesOf(file), quotes, mutoolText(file))
  } catch (error) {
    console.log(`${name}  not read: ${error instanceof Error ? error.message : String(error)}`)
  }
}
const share = (part: number, whole: number): string => `${part} of ${whole} (${(part / whole).toFixed(4)})`
console.log(`\nquotations found: ${share(counts.found, counts.all)}`)
console.log(`those that mutool has too: ${share(counts.agreedFound, counts.agreed)}`)
console.log(`with a word replaced, found all the same: ${share(counts.wrongFound, counts.wrong)}`)
if (values.misses !== undefined) writeFileSync(values.misses, JSON.stringify(misses, null, 1))
