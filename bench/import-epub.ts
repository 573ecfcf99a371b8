import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { openEpub } from '../src/imports/formats/epub/open-epub.ts'
import { defaultLimits } from '../src/imports/formats/format.ts'
import type { ExtractedPage, TocEntry } from '../src/imports/formats/format.ts'
import { splitPages } from '../src/text/markdown/split-pages.ts'
import { countWords, normalizeLetters, readReference } from './epub-reference.ts'
import type { ReferenceReading } from './epub-reference.ts'
import { countStrayMarks } from './stray-marks.ts'

interface Book {
  pages: ExtractedPage[]
  toc: TocEntry[]
}

const warmRuns = 5

async function main(): Promise<void> {
  const [mode = '', file = ''] = process.argv.slice(2)
  if (mode === '--one') return void (await read(readFileSync(file)))
  const files = readdirSync(mode)
    .filter((name) => name.endsWith('.epub'))
    .map((name) => join(mode, name))
  const pandoc = spawnSync('pandoc', ['--version']).status === 0
  const rows: Row[] = []
  for (const path of files) rows.push(await measure(path, pandoc))
  printColumns([
    'book',
    'pages',
    'warm ms',
    'cold ms',
    'words',
    'fences',
    'toc',
    'stray',
    'pandoc ms',
    'warm ×',
    'cold ×',
  ])
  for (const row of rows) printColumns(formatCells(row))
  printColumns(formatCells(summary('all', rows)))
  if (pandoc)
    printColumns(
      formatCells(
        summary(
          'all that pandoc reads',
          rows.filter((row) => row.pandoc !== null),
        ),
      ),
    )
  process.stdout.write(`markdown split: ${markdownSpeed().toFixed(0)} MB/s of CPU time\n`)
}

interface Row {
  name: string
  pages: number
  warm: number
  cold: number
  words: number
  fences: [kept: number, all: number]
  toc: [exact: number, all: number]
  /** The number of paragraphs with stray marks. */
  stray: number
  pandoc: number | null
}

async function measure(path: string, pandoc: boolean): Promise<Row> {
  const bytes = readFileSync(path)
  const book = await read(bytes)
  const times: number[] = []
  for (let run = 0; run < warmRuns; run++) times.push(await cpuOf(() => read(bytes)))
  const reference = await readReference(bytes)
  return {
    name: basename(path, '.epub'),
    pages: book.pages.length,
    warm: times.toSorted((one, other) => one - other)[warmRuns >> 1] ?? 0,
    cold: cpuOfCommand(`"${process.execPath}" "${import.meta.filename}" --one "${path}"`) ?? Number.NaN,
    words: wordsKept(reference, book),
    fences: [reference.fences.filter(createFenceCheck(book)).length, reference.fences.length],
    toc: [exactEntries(reference, book), reference.toc.length],
    stray: book.pages.reduce((count, { content }) => count + countStrayMarks(content), 0),
    pandoc: pandoc ? pandocTime(path) : null,
  }
}

async function read(bytes: Uint8Array): Promise<Book> {
  const book = await openEpub(bytes, defaultLimits)
  const pages: ExtractedPage[] = []
  for await (const page of book.pages()) pages.push(page)
  const toc = await book.toc()
  await book.close()
  return { pages, toc }
}

/** The share of the words in the files that the pages contain, counted with repetitions. */
function wordsKept(reference: ReferenceReading, { pages }: Book): number {
  const found = new Map<string, number>()
  for (const { content } of pages) countWords(content.replace(/\]\(page:\d+\)|<\/?su[bp]>|\\|\*|~~|`/g, ''), found)
  let kept = 0
  let all = 0
  for (const [word, count] of reference.words) {
    all += count
    kept += Math.min(count, found.get(word) ?? 0)
  }
  return all === 0 ? 1 : kept / all
}

/** Checks whether a fence is kept: all of its lines must be in code fences of the pages. */
function createFenceCheck({ pages }: Book): (lines: string[]) => boolean {
  const fenced = new Set<string>()
  for (const { content } of pages) {
    let fence: string | null = null
    for (const line of content.split('\n')) {
      const mark = /^[\s>]*(?:[-\d.]+ +)*(`{3,})/.exec(line)?.[1]
      if (fence === null && mark !== undefined) fence = mark
      else if (fence !== null && mark === fence) fence = null
      else if (fence !== null) fenced.add(trimLine(line))
    }
  }
  return (lines) => lines.every((line) => trimLine(line) === '' || fenced.has(trimLine(line)))
}

function trimLine(line: string): string {
  return line.replace(/^[\s>]+|\s+$/g, '').replaceAll('\u00A0', ' ')
}

/** The number of exact entries, whose page contains the text after their target in the file. */
function exactEntries({ toc: expectedTexts }: ReferenceReading, { pages, toc }: Book): number {
  if (expectedTexts.length !== toc.length) return 0
  return toc.filter(({ page }, index) => {
    const expectedText = (expectedTexts[index] ?? '').slice(0, 12)
    const content = (pages[page - 1]?.content ?? '').replace(/\]\([^)]*\)/g, '')
    return normalizeLetters(content).includes(expectedText)
  }).length
}

async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

function pandocTime(path: string): number | null {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-bench-'))
  try {
    return cpuOfCommand(`pandoc -f epub -t gfm --wrap=none -o "${folder}/out.md" "${path}"`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** CPU milliseconds of a command including its children; null if it fails (pandoc does on some books). */
function cpuOfCommand(command: string): number | null {
  const { stderr, status } = spawnSync('bash', ['-c', `TIMEFORMAT='%U %S'; time ${command} >&2`], { encoding: 'utf8' })
  if (status !== 0) return null
  const [user = 0, system = 0] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number)
  return (user + system) * 1_000
}

function markdownSpeed(): number {
  const paragraph = 'Words that fill a line of the book as lines of books are filled, with *some* marks and `code`.\n\n'
  const code = '- item one\n- item two\n\n```js\nconst line = 1\n# no heading\n```\n\n## Section\n\n'
  const text = `# Chapter\n\n${(paragraph.repeat(6) + code).repeat(30)}`.repeat(1_000)
  splitPages(text)
  const before = process.cpuUsage()
  splitPages(text)
  const { user, system } = process.cpuUsage(before)
  return Buffer.byteLength(text) / (user + system)
}

/** Sums, and the lowest share of words. */
function summary(name: string, rows: readonly Row[]): Row {
  const sum = (of: (row: Row) => number): number => rows.reduce((total, row) => total + of(row), 0)
  return {
    name,
    pages: sum((row) => row.pages),
    warm: sum((row) => row.warm),
    cold: sum((row) => row.cold),
    words: Math.min(...rows.map((row) => row.words)),
    fences: [sum((row) => row.fences[0]), sum((row) => row.fences[1])],
    toc: [sum((row) => row.toc[0]), sum((row) => row.toc[1])],
    stray: sum((row) => row.stray),
    pandoc: rows.every((row) => row.pandoc !== null) ? sum((row) => row.pandoc ?? 0) : null,
  }
}

function formatCells({ name, pages, warm, cold, words, fences, toc, stray, pandoc }: Row): string[] {
  const ratio = (time: number): string => (pandoc === null ? '–' : (pandoc / time).toFixed(1))
  const figures = [String(pages), warm.toFixed(0), cold.toFixed(0), words.toFixed(4), fences.join('/'), toc.join('/')]
  figures.push(String(stray))
  return [name, ...figures, pandoc?.toFixed(0) ?? '–', ratio(warm), ratio(cold)]
}

function printColumns(columns: readonly string[]): void {
  process.stdout.write(
    `${columns.map((text, index) => (index === 0 ? text.padEnd(24) : text.padStart(10))).join('')}\n`,
  )
}

await main()
