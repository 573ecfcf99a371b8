/**
 * Reads a corpus of books like an import and prints a table of what was preserved, compared with pdftotext and, if
 * installed, mutool and pymupdf4llm: `npm run bench:import -- --corpus DIR [--take N] [--only NAME] [--python
 * PROGRAM]`. DIR contains PDFs and EPUBs, or folders `pdf`, `hard` and `epub` with them. `--take` reads that many PDFs
 * per folder, evenly spread; `--only` reads those whose names begin with one of these comma-separated prefixes.
 * `--python` is a Python with pymupdf4llm (PyPI), for headings and code. Requires pdftotext and qpdf.
 *
 * Processor time is user and system time. Ours is that of reading a book for the first time in a process that has loaded
 * both engines and has read the books before it, without figures and without the `engineFlag` of reading processes, with
 * which it is a twelfth less. That of pdftotext is without the start of its process (`pdftotext -v`), as ours is; short
 * runs are repeated until they take 0.2 s. The table has the ratio of all books together, in which large books count
 * most, and the mean ratio of the books. Its third row is the mean with one run of pdftotext, with its start, in steps
 * of 10 ms: a book for which the shell counts 0 ms has the ratio 0.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { addScores, compareHeadings, precisionOf, recallOf } from './import/compare-headings.ts'
import type { HeadingScore } from './import/compare-headings.ts'
import { compareCode } from './import/compare-code.ts'
import { compareForms } from './import/compare-forms.ts'
import { countFeatures } from './import/count-marks.ts'
import { codeLinesOf, mutoolText, pymupdf4llmPages } from './import/peers.ts'
import { f1Score, measurePdf, outlineOf, pdftotextOf, wordsOf } from './import/measure-pdf.ts'
import type { PdfCpu, PdfMeasurement } from './import/measure-pdf.ts'
import { warmPdf } from '../src/imports/formats/pdf/open-pdf.ts'

const { values } = parseArgs({
  options: {
    corpus: { type: 'string' },
    take: { type: 'string' },
    only: { type: 'string' },
    python: { type: 'string', default: process.env['LECTERN_BENCH_PYTHON'] },
  },
})
const corpus = values.corpus
if (corpus === undefined)
  throw new Error('usage: node bench/import.ts --corpus DIR [--take N] [--only NAME] [--python PROGRAM]')

/** Minimum number of titles in an outline for assessing headings. */
const minTitles = 3
/** Minimum share of words in which two other readers must agree before a difference counts as our error. */
const minAgreement = 0.95
/** Books with at least this many pages count as long. */
const longBook = 250
/** Maximum pages for a slow peer; it skips longer books. */
const maxPeerPages = 60

interface Book {
  name: string
  measurement: PdfMeasurement
  /** Word F1 of mutool against pdftotext; null without mutool. */
  mutool: number | null
  headings: HeadingScore | null
  peerHeadings: HeadingScore | null
  code: { lines: number; fenced: number } | null
  forms: { values: number; kept: number }
}

function pdfsOf(directory: string): string[] {
  const wanted = values.only?.split(',')
  const folders = [directory, join(directory, 'pdf'), join(directory, 'hard')].filter((folder) => existsSync(folder))
  return folders.flatMap((folder) => {
    const files = readdirSync(folder)
      .filter((name) => name.endsWith('.pdf') && (!wanted || wanted.some((start) => name.startsWith(start))))
      .sort()
    const step = values.take === undefined ? 1 : Math.max(1, files.length / Number(values.take))
    return files
      .filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step))
      .map((name) => join(folder, name))
  })
}

async function read(file: string): Promise<Book> {
  const measurement = await measurePdf(file)
  const { contents } = measurement
  const titles = outlineOf(file).filter(({ page }) => page !== null)
  const hasTitles = titles.length >= minTitles
  const isShort = contents.length <= maxPeerPages
  const peer = hasTitles && isShort ? pymupdf4llmPages(values.python, file) : null
  const code = isShort ? codeLinesOf(values.python, file) : null
  const mutool = mutoolText(file)
  return {
    name: basename(file),
    measurement,
    mutool: mutool === null ? null : f1Score(wordsOf(mutool), wordsOf(pdftotextOf(file))),
    headings: hasTitles ? compareHeadings(contents, titles) : null,
    peerHeadings: peer ? compareHeadings(peer, titles) : null,
    code: code ? compareCode(contents, code) : null,
    forms: compareForms(file, contents),
  }
}

function mean(list: readonly number[]): number {
  return list.reduce((sum, value) => sum + value, 0) / list.length
}

function format(value: number, digits = 3): string {
  return Number.isFinite(value) ? value.toFixed(digits) : '–'
}

function row(what: string, found: string, reach: string, beside = ''): void {
  console.log(`| ${what} | ${found} | ${reach} | ${beside} |`)
}

function printHeadings(books: readonly Book[]): void {
  const scores = books.flatMap(({ headings }) => headings ?? [])
  const figures = (list: readonly HeadingScore[]): string =>
    `${format(mean(list.map(recallOf)))}, ${format(mean(list.map(precisionOf)))}; pooled ${format(recallOf(addScores(list)))}, ${format(precisionOf(addScores(list)))}`
  row(`headings against ${scores.length} outlines: recall, precision`, figures(scores), '≥ 0.90, ≥ 0.90')
  const both = books.filter(({ headings, peerHeadings }) => headings && peerHeadings)
  if (both.length === 0) return row('the same with pymupdf4llm', 'not installed: --python', '')
  row(
    `the same on ${both.length} of them, beside pymupdf4llm`,
    figures(both.flatMap(({ headings }) => headings ?? [])),
    '≥ 0.90, ≥ 0.90',
    `pymupdf4llm ${figures(both.flatMap(({ peerHeadings }) => peerHeadings ?? []))}`,
  )
}

function printWords(books: readonly Book[]): void {
  const of = (value: (row: PdfMeasurement) => number): number[] => books.map(({ measurement }) => value(measurement))
  const peers = books.flatMap(({ mutool }) => mutool ?? [])
  row(
    'words F1 against pdftotext, mean',
    format(mean(of(({ words }) => words)), 4),
    '≥ 0.990',
    `mutool ${format(mean(peers), 4)}`,
  )
  row(
    'the same without running heads, which imports remove',
    format(mean(of(({ wordsWithoutHeads }) => wordsWithoutHeads)), 4),
    '≥ 0.990',
  )
  const bigrams = `${format(mean(of((one) => one.bigrams)), 4)}; better of its two orders ${format(mean(of((one) => one.bestBigrams)), 4)}`
  row('bigrams F1, mean', bigrams, '≥ 0.965')
  const poor = books.filter(({ measurement, mutool }) => measurement.words < 0.9 && (mutool ?? 0) >= minAgreement)
  row(
    'under 0.90 where pdftotext and mutool agree',
    poor.map(({ name, measurement }) => `${name} ${format(measurement.words)}`).join(', ') || 'none',
    'none',
  )
}

function printOthers(books: readonly Book[]): void {
  const sum = (value: (book: Book) => number): number => books.reduce((total, book) => total + value(book), 0)
  const codeLines = sum(({ code }) => code?.lines ?? 0)
  row(
    `code lines inside fences, of ${codeLines}`,
    codeLines ? format(sum(({ code }) => code?.fenced ?? 0) / codeLines) : 'pymupdf not installed: --python',
    '≥ 0.98',
  )
  const marks = books.map(({ measurement }) => countFeatures(measurement.contents))
  const total = (value: (one: (typeof marks)[number]) => number): number =>
    marks.reduce((all, one) => all + value(one), 0)
  row(
    'captions of tables with a table beside them',
    `${total((one) => one.tables)} of ${total((one) => one.captions)}`,
    '≥ 16 of 17 by eye',
  )
  row('paragraphs of one or two characters', `${total((one) => one.signs)}`, 'few')
  row('notes tied to their marks', `${total((one) => one.notes)}`, '')
  const fields = sum(({ forms }) => forms.values)
  row(
    'values of form fields kept',
    fields ? `${sum(({ forms }) => forms.kept)} of ${fields}` : 'no filled form',
    '≥ 95 %',
  )
  row('pages without text', `${total((one) => one.blank)} of ${sum(({ measurement }) => measurement.pages)}`, '')
}

function printCost(books: readonly Book[]): void {
  const [long, short] = [true, false].map((isLong) =>
    books.filter(({ measurement: { pages } }) => pages > longBook === isLong),
  )
  const ofBoth = (figure: (list: readonly PdfCpu[]) => number): string =>
    [short, long].map((list = []) => format(figure(list.map(({ measurement }) => measurement.cpu)), 3)).join(', ')
  const total = (list: readonly number[]): number => list.reduce((sum, value) => sum + value, 0)
  row(
    'processor time of pdftotext over ours, all books together: short, long',
    ofBoth((list) => total(list.map((one) => one.pdftotext)) / total(list.map((one) => one.ours))),
    '≥ 0.35, ≥ 1.0',
  )
  row(
    'the same, mean of the books',
    ofBoth((list) => mean(list.map((one) => one.pdftotext / one.ours))),
    '≥ 0.35, ≥ 1.0',
  )
  row(
    'the same, mean, pdftotext run once with its start and counted in steps of 10 ms',
    ofBoth((list) => mean(list.map((one) => one.pdftotextOnce / one.ours))),
    '≥ 0.35, ≥ 1.0',
  )
  const first = books.map(({ measurement }) => measurement.firstPage).sort((a, b) => a - b)
  row(
    'first page, median and last, ms',
    `${format(first[first.length >> 1] ?? NaN, 0)}, ${format(first.at(-1) ?? NaN, 0)}`,
    '≤ 1,000',
  )
  row(
    'memory of this process, MB',
    format(Math.max(...books.map(({ measurement }) => measurement.memory)), 0),
    '≤ 450 a child',
  )
}

function printEpubs(directory: string): void {
  const folder = [join(directory, 'epub'), directory].find(
    (path) => existsSync(path) && readdirSync(path).some((name) => name.endsWith('.epub')),
  )
  if (folder === undefined) return
  const { stdout } = spawnSync(process.execPath, [join(import.meta.dirname, 'import-epub.ts'), folder], {
    encoding: 'utf8',
  })
  console.log(`\nEPUB\n\n${stdout}`)
}

await warmPdf()
const books: Book[] = []
const refused: string[] = []
for (const file of pdfsOf(corpus)) {
  try {
    books.push(await read(file))
    process.stderr.write('.')
  } catch (error) {
    refused.push(`${basename(file)}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`)
  }
}
process.stderr.write('\n')
console.log(
  `${books.length} PDFs, ${books.reduce((sum, { measurement }) => sum + measurement.pages, 0)} pages; ${refused.length} not read\n`,
)
row('what', 'found', 'reach', 'beside it')
row('---', '---', '---', '---')
if (books.length > 0) {
  printWords(books)
  printHeadings(books)
  printOthers(books)
  printCost(books)
}
for (const line of refused) console.log(`\nnot read: ${line}`)
printEpubs(corpus)
