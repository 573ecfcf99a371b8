import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { defaultLimits } from '../../src/imports/formats/format.ts'
import type { TocEntry } from '../../src/imports/formats/format.ts'
import { openPdf } from '../../src/imports/formats/pdf/open-pdf.ts'
import type { OutlineTitle } from './compare-headings.ts'

/** Results and costs of reading a PDF, compared with pdftotext and qpdf in the same run. */
export interface PdfMeasurement {
  pages: number
  /** The Markdown of each page. */
  contents: string[]
  seconds: number
  reference: number
  /** Processor time in seconds; unlike wall time, it is valid on a busy machine. */
  cpu: PdfCpu
  firstPage: number
  words: number
  /** As `words`, without the running heads that pdftotext keeps and imports remove. */
  wordsWithoutHeads: number
  bigrams: number
  /** Against the closer one of pdftotext's two orders. */
  bestBigrams: number
  outline: number
  entries: number
  memory: number
}

/** The processor time of reading a PDF, in seconds. */
export interface PdfCpu {
  ours: number
  /** Of pdftotext without its start, the mean of as many runs as take `minPdftotextCpu`. */
  pdftotext: number
  /** Of a single run of pdftotext with its start, in steps of 10 ms: 0 for most files of a few pages. */
  pdftotextOnce: number
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
/** The processor time that the runs of pdftotext take together, in seconds. The shell counts it in steps of 10 ms. */
const minPdftotextCpu = 0.2
/** The time of a run that is too short to be counted, in seconds. */
const uncountedCpu = 0.005

/** Reads a PDF and compares it with pdftotext and qpdf, which must be installed. */
export async function measurePdf(file: string): Promise<PdfMeasurement> {
  const { text: expected, wall: reference, cpu: pdftotextOnce } = runPdftotext(file)
  const pdftotext = pdftotextCpu(file, pdftotextOnce)
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
  const words = wordsOf(withoutScriptMarks(pages.join('\n').replace(linkTarget, ']'), expected))
  const raw = execFileSync('pdftotext', ['-raw', file, '-'], execOptions).toString()
  const bigrams = f1Score(bigramsOf(words), bigramsOf(wordsOf(expected)))
  return {
    pages: pages.length,
    contents: pages,
    seconds,
    reference,
    cpu: { ours: (user + system) / 1e6, pdftotext, pdftotextOnce },
    firstPage,
    words: f1Score(words, wordsOf(expected)),
    wordsWithoutHeads: f1Score(words, wordsOf(expected), wordsOf(runningHeads(expected))),
    bigrams,
    bestBigrams: Math.max(bigrams, f1Score(bigramsOf(words), bigramsOf(wordsOf(raw)))),
    ...scoreOutline(file, toc),
    memory: process.memoryUsage.rss() / 1024 ** 2,
  }
}

/** The text by pdftotext, with its wall and processor time in seconds. */
function runPdftotext(file: string): { text: string; wall: number; cpu: number } {
  const started = performance.now()
  const { stdout, stderr } = spawnSync('sh', ['-c', 'pdftotext "$0" - ; times >&2', file], execOptions)
  const wall = (performance.now() - started) / 1000
  return { text: stdout.toString(), wall, cpu: childrenCpu(stderr.toString()) }
}

/** The processor time of pdftotext for a file without its start, in seconds. A run takes about `once`. */
function pdftotextCpu(file: string, once: number): number {
  startCpu ??= repeatPdftotext('-v', minPdftotextCpu / uncountedCpu)
  const whole = once < minPdftotextCpu ? repeatPdftotext(file, minPdftotextCpu / Math.max(once, uncountedCpu)) : once
  return Math.max(0, whole - startCpu)
}

let startCpu: number | undefined

/** The mean processor time of about `count` runs of pdftotext, in seconds. */
function repeatPdftotext(argument: string, count: number): number {
  const runs = Math.ceil(count)
  const loop = 'n=$1; while [ "$n" -gt 0 ]; do pdftotext "$0" - >/dev/null 2>&1; n=$((n - 1)); done; times'
  return childrenCpu(execFileSync('sh', ['-c', loop, argument, String(runs)], execOptions).toString()) / runs
}

/** The processor time of a shell's children, in seconds: the last line of `times`, with user and system time as 0m1.25s. */
function childrenCpu(output: string): number {
  const times = [...(output.trim().split('\n').at(-1) ?? '').matchAll(/(\d+)m([\d.]+)s/g)]
  return times.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0)
}

/** The text of a PDF by pdftotext. */
export function pdftotextOf(file: string): string {
  return execFileSync('pdftotext', [file, '-'], execOptions).toString()
}

/** The target of a link, which is not printed on the page. */
const linkTarget = /\]\((?:page:\d+|(?:https?|mailto):[^()\s]*)\)/g

/**
 * Subscripts and superscripts of formulas after a single letter, a number, a closing bracket or an operator: `x_i`,
 * `a_{ij}^2`, `∑\_{i=1}^n`.
 */
const scripts =
  /(?<![\p{L}\p{N}_\\])(\p{L}\p{M}?|\p{N}+|[)\]}∑∏∫⋃⋂⨁|′⟩]|lim|max|min|sup|inf)((?:\\?[_^](?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|[\p{L}\p{N}*∞]+)){1,2})/gu

const operatorName = /^(?:lim|max|min|sup|inf)$/

/** Names that contain underscores, such as `R_HOME`. */
const underscoredName = /[\p{L}\p{N}]+(?:\\?_[\p{L}\p{N}]+)+/gu

/**
 * Removes the markup of subscripts and superscripts, which is not printed on the page. `printed` is the text of another
 * reader: its underscores are printed.
 */
function withoutScriptMarks(text: string, printed = ''): string {
  const names = new Set(printed.match(underscoredName))
  const spaced = text.replace(underscoredName, (name) =>
    names.has(name.replaceAll('\\', '')) ? name.replaceAll(/\\?_/g, ' ') : name,
  )
  return spaced.replace(scripts, (_, base: string, script: string) => {
    const signs = script.replaceAll(/\\?[_^]|[{}]/g, '')
    // What is printed below the name of an operator is a word of its own.
    return base + (operatorName.test(base) && !printed.includes(base + signs) ? ' ' : '') + signs
  })
}

/** Ligatures as the raw codes of TeX's encoding T1, which pdftotext returns for bitmap fonts. */
// oxlint-disable-next-line no-control-regex -- the codes are control characters
const rawLigature = /(?<=[a-z])[\x1b-\x1f]|[\x1b-\x1f](?=[a-z])/gi
const ligatures = ['ff', 'fi', 'fl', 'ffi', 'ffl']

/** Letters and digits in lower case; a Chinese or Japanese character is a word. */
export function wordsOf(text: string): string[] {
  const word =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}]+?(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])|[\p{L}\p{N}]+/gu
  const whole = text.replace(rawLigature, (code) => ligatures[code.charCodeAt(0) - 0x1b] ?? '')
  return whole.normalize('NFKC').toLowerCase().match(word) ?? []
}

function bigramsOf(words: readonly string[]): string[] {
  return words.slice(1).map((word, index) => `${words[index]} ${word}`)
}

/** The lines at the top and bottom of a page that may be running heads. */
const edgeLines = 2
/** The number of pages on which a running head repeats. */
const minRepeats = 3

/** The running heads and page numbers of a text with form feeds: lines at page edges that repeat but for their numbers. */
function runningHeads(text: string): string {
  const edges = text.split('\f').map((page) => {
    const lines = page.split('\n').filter((line) => line.trim() !== '')
    return lines.filter((_, index) => index < edgeLines || index >= lines.length - edgeLines)
  })
  const keyOf = (line: string) =>
    line
      .toLowerCase()
      .replaceAll(/\p{N}+|\b[ivxlc]+\b/gu, '#')
      .replaceAll(/\s+/g, ' ')
  const pages = new Map<string, number>()
  for (const lines of edges) for (const key of new Set(lines.map(keyOf))) pages.set(key, (pages.get(key) ?? 0) + 1)
  return edges
    .flat()
    .filter((line) => (pages.get(keyOf(line)) ?? 0) >= minRepeats)
    .join('\n')
}

function countOf(items: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
  return counts
}

/** F1 of two multisets. Items of `expected` that are also in `optional` may be missing. */
export function f1Score(
  actual: readonly string[],
  expected: readonly string[],
  optional: readonly string[] = [],
): number {
  const counts = countOf(expected)
  let common = 0
  for (const item of actual) {
    const left = counts.get(item) ?? 0
    if (left > 0) common += 1
    counts.set(item, left - 1)
  }
  let excused = 0
  for (const [item, count] of countOf(optional)) excused += Math.max(0, Math.min(count, counts.get(item) ?? 0))
  const total = actual.length + expected.length - excused
  return total === 0 ? 1 : (2 * common) / total
}

function scoreOutline(file: string, toc: readonly TocEntry[]): { outline: number; entries: number } {
  const expected = outlineOf(file)
  const hits = expected.filter(({ page }, index) => page !== null && toc[index]?.page === page).length
  return { outline: expected.length === 0 ? 1 : hits / expected.length, entries: expected.length }
}

/** The titles of a PDF's outline with their pages, by qpdf. */
export function outlineOf(file: string): OutlineTitle[] {
  const keys = ['--json-key=outlines', '--json-key=pages']
  const json = execFileSync('qpdf', ['--json', ...keys, '--warning-exit-0', file], execOptions).toString()
  const { outlines, pages } = JSON.parse(json) as QpdfFile
  const positions = new Map(pages.map(({ object, pageposfrom1 }) => [object, pageposfrom1]))
  return outlineTargets(outlines).map(({ title, target }) => ({ title, page: positions.get(String(target)) ?? null }))
}

function outlineTargets(nodes: readonly QpdfOutline[]): { title: string; target: unknown }[] {
  return nodes.flatMap(({ title, dest, kids }) => {
    const target = (Array.isArray(dest) ? dest : dest?.['/D'])?.[0]
    return [{ title, target }, ...outlineTargets(kids)]
  })
}
