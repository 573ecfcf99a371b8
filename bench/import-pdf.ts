/**
 * Measures PDF → Markdown against pdftotext and qpdf, which must be installed: `node bench/import-pdf.ts DIR [name …]`.
 * Prints a row for each PDF in DIR: pages, seconds, pdftotext's seconds in the same run, their ratio, milliseconds to the
 * first page, word and bigram F1 against pdftotext, bigram F1 against `pdftotext -raw` where that is closer (it keeps the rows of
 * tables, which the default takes apart), and the share of outline entries that qpdf puts on the same page.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defaultLimits } from '../src/imports/formats/format.ts'
import type { TocEntry } from '../src/imports/formats/format.ts'
import { openPdf, warmPdf } from '../src/imports/formats/pdf/open-pdf.ts'

interface Row {
  pages: number
  seconds: number
  reference: number
  /** Processor time of pdftotext against ours: unlike wall time, it stands when the machine is busy. */
  cpuRatio: number
  firstPage: number
  words: number
  bigrams: number
  /** Against the closer of pdftotext's two orders. */
  bestBigrams: number
  outline: number
  entries: number
  memory: number
}

interface QpdfOutline {
  title: string
  dest: { '/D'?: unknown[] } | unknown[] | null
  kids: QpdfOutline[]
}

interface QpdfFile {
  outlines: QpdfOutline[]
  pages: { object: string; pageposfrom1: number }[]
}

const execOptions = { maxBuffer: 1024 ** 3 }

async function measure(file: string): Promise<Row> {
  const { text: expected, wall: reference, cpu: referenceCpu } = runPdftotext(file)
  const started = performance.now()
  const usage = process.cpuUsage()
  const book = await openPdf(readFileSync(file), defaultLimits)
  const pages: string[] = []
  let firstPage = 0
  for await (const page of book.pages()) {
    if (pages.length === 0) firstPage = performance.now() - started
    pages.push(page.content)
  }
  const toc = await book.toc()
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(usage)
  await book.close()
  const words = wordsOf(pages.join('\n').replace(linkTarget, ']'))
  const raw = execFileSync('pdftotext', ['-raw', file, '-'], execOptions).toString()
  const bigrams = f1Score(bigramsOf(words), bigramsOf(wordsOf(expected)))
  return {
    pages: pages.length,
    seconds,
    reference,
    cpuRatio: referenceCpu / ((user + system) / 1e6),
    firstPage,
    words: f1Score(words, wordsOf(expected)),
    bigrams,
    bestBigrams: Math.max(bigrams, f1Score(bigramsOf(words), bigramsOf(wordsOf(raw)))),
    ...scoreOutline(file, toc),
    memory: process.memoryUsage.rss() / 1024 ** 2,
  }
}

function runPdftotext(file: string): { text: string; wall: number; cpu: number } {
  const started = performance.now()
  const { stdout, stderr } = spawnSync('sh', ['-c', 'pdftotext "$0" - ; times >&2', file], execOptions)
  const wall = (performance.now() - started) / 1000
  // The second line of `times` is what the shell's children used: user and system time as 0m1.25s.
  const cpu = [...(stderr.toString().trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)]
  return { text: stdout.toString(), wall, cpu: cpu.reduce((sum, [, m, s]) => sum + Number(m) * 60 + Number(s), 0) }
}

/** Where a link leads, which is not printed on the page. */
const linkTarget = /\]\((?:page:\d+|(?:https?|mailto):[^()\s]*)\)/g

/** Letters and digits in lower case; a Chinese or Japanese character is a word. */
function wordsOf(text: string): string[] {
  const word =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+?(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])|[\p{L}\p{N}]+/gu
  return text.normalize('NFKC').toLowerCase().match(word) ?? []
}

function bigramsOf(words: readonly string[]): string[] {
  return words.slice(1).map((word, index) => `${words[index]} ${word}`)
}

/** F1 of two multisets. */
function f1Score(actual: readonly string[], expected: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const item of expected) counts.set(item, (counts.get(item) ?? 0) + 1)
  let common = 0
  for (const item of actual) {
    const left = counts.get(item) ?? 0
    if (left > 0) common += 1
    counts.set(item, left - 1)
  }
  return actual.length + expected.length === 0 ? 1 : (2 * common) / (actual.length + expected.length)
}

function scoreOutline(file: string, toc: readonly TocEntry[]): { outline: number; entries: number } {
  const keys = ['--json-key=outlines', '--json-key=pages']
  const json = execFileSync('qpdf', ['--json', ...keys, '--warning-exit-0', file], execOptions).toString()
  const { outlines, pages } = JSON.parse(json) as QpdfFile
  const positions = new Map(pages.map(({ object, pageposfrom1 }) => [object, pageposfrom1]))
  const expected = outlineTargets(outlines).map((target) => positions.get(String(target)))
  const hits = expected.filter((page, index) => page !== undefined && toc[index]?.page === page).length
  return { outline: expected.length === 0 ? 1 : hits / expected.length, entries: expected.length }
}

function outlineTargets(nodes: readonly QpdfOutline[]): unknown[] {
  return nodes.flatMap(({ dest, kids }) => [(Array.isArray(dest) ? dest : dest?.['/D'])?.[0], ...outlineTargets(kids)])
}

function print(name: string, row: Row): void {
  const ratio = row.reference / row.seconds
  const cells = [
    name.padEnd(26),
    String(row.pages).padStart(5),
    row.seconds.toFixed(2).padStart(7),
    row.reference.toFixed(2).padStart(9),
    ratio.toFixed(2).padStart(5),
    row.cpuRatio.toFixed(2).padStart(5),
    row.firstPage.toFixed(0).padStart(8),
    row.words.toFixed(4),
    row.bigrams.toFixed(4),
    row.bestBigrams.toFixed(4),
    row.entries === 0 ? '     –' : row.outline.toFixed(4),
    String(row.entries).padStart(7),
    row.memory.toFixed(0).padStart(6),
  ]
  process.stdout.write(`${cells.join('  ')}\n`)
}

const [directory, ...names] = process.argv.slice(2)
if (directory === undefined) throw new Error('usage: node bench/import-pdf.ts DIR [name …]')
const files = readdirSync(directory)
  .filter((name) => name.endsWith('.pdf') && (names.length === 0 || names.some((part) => name.includes(part))))
  .sort()
await warmPdf()
process.stdout.write(
  'book                        pages  seconds  pdftotext  ratio    cpu  first ms  words   bigrams    best  outline entries  MB\n',
)
const first = files[0]
if (first !== undefined) await measure(join(directory, first)) // warms the compiler; not counted
const rows: Row[] = []
for (const name of files) {
  const row = await measure(join(directory, name))
  rows.push(row)
  print(name, row)
}
const mean = (list: readonly Row[], value: (row: Row) => number): number =>
  list.reduce((sum, row) => sum + value(row), 0) / list.length
const big = rows.filter((row) => row.pages > 250)
const low = files.filter((_, index) => (rows[index]?.words ?? 1) < 0.9)
const summary = [
  `mean words F1 ${mean(rows, (row) => row.words).toFixed(4)}, least ${Math.min(...rows.map((row) => row.words)).toFixed(4)}`,
  `mean bigram F1 ${mean(rows, (row) => row.bigrams).toFixed(4)}, best order ${mean(rows, (row) => row.bestBigrams).toFixed(4)}`,
  `words F1 under 0.90: ${low.length}${low.length > 0 ? ` (${low.join(', ')})` : ''}`,
  `books over 250 pages: mean ratio ${mean(big, (row) => row.reference / row.seconds).toFixed(2)}, least ${Math.min(...big.map((row) => row.reference / row.seconds)).toFixed(2)}`,
  `  by processor time: mean ${mean(big, (row) => row.cpuRatio).toFixed(2)}, least ${Math.min(...big.map((row) => row.cpuRatio)).toFixed(2)}`,
]
process.stdout.write(`${summary.join('\n')}\n`)
