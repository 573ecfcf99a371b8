/**
 * Measures text recognition: `node bench/import-ocr.ts DIR [pages] [tune|report|all] [damage] [--words]`. Creates scans
 * of pages of the PDFs in DIR (a quarter each copied, turned, skewed and noisy, or all with one kind of damage, such as
 * `bound`). Recognises them like a worker does, and compares the words with those of the file. Requires Tesseract,
 * pdfinfo and pdftotext. Prints a row per page (with `--words`, also the lost and the extra words) and the mean per kind
 * of damage: word F1, confidence, and seconds of processor time for drawing and recognising. Files whose name hashes to
 * 0–7 are for tuning, the others for reporting; the default is both.
 *
 * The words of the file are those on which pdftotext and pdf.js agree; where they differ, both are right. Skips pages
 * whose text is invisible (outside their crop box, or clipped), and pages in a language that is not installed.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openRecogniser } from '../src/imports/ocr/recogniser.ts'
import { detectLanguage } from '../src/imports/ocr/detect-language.ts'
import { damages, otherDamages, scanPdf, type Damage } from '../test/support/scans.ts'
import {
  compareWords,
  countWords,
  f1Score,
  readWithPdfjs,
  readWithPoppler,
  runPoppler,
  sizeOf,
} from './ocr-reference.ts'
import { isTextVisible } from './visible-text.ts'

interface Sample {
  file: string
  page: number
  text: string
}

/**
 * Minimum number of words; pages with fewer words, or in letters that the installed languages lack, are not meaningful.
 */
const minWords = 120
const foreignLetters = /[\u0370-\u1fff\u3000-\u9fff\uac00-\ud7ff]/

const { values, positionals } = parseArgs({ options: { words: { type: 'boolean' } }, allowPositionals: true })
const isVerbose = values.words === true
const [directory, wanted = '40', part = 'all', only] = positionals
if (directory === undefined)
  throw new Error('node bench/import-ocr.ts DIR [pages] [tune|report|all] [damage] [--words]')
const kinds: readonly Damage[] = [...damages, ...otherDamages].filter((damage) => damage === only)
const selectedDamages = kinds.length > 0 ? kinds : damages

function* samplePages(folder: string): Generator<Sample> {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.pdf') && isSelected(name))
    .toSorted((a, b) => hashOf(a).localeCompare(hashOf(b)))
    .map((name) => join(folder, name))
  for (let round = 0; round < 4; round++) {
    for (const file of files) {
      const count = Number(/^Pages:\s+(\d+)/m.exec(runPoppler('pdfinfo', file))?.[1] ?? 0)
      const page = Math.max(1, Math.floor(count * (0.3 + 0.2 * round)))
      if (count === 0 || page > count) continue
      const text = readWithPoppler(file, page)
      if (sizeOf(countWords(text)) >= minWords && !foreignLetters.test(text)) yield { file, page, text }
    }
  }
}

function isSelected(name: string): boolean {
  return part === 'all' || /^[0-7]/.test(hashOf(name)) === (part === 'tune')
}

function hashOf(name: string): string {
  return createHash('sha256').update(name).digest('hex')
}

/** Seconds of processor time of ended processes, and of the drawing processes, which keep running. */
function cpuSeconds(pids: readonly number[]): number {
  const ticks = (fields: readonly (string | undefined)[]) => fields.reduce((sum, field) => sum + Number(field), 0) / 100
  const statOf = (pid: number | 'self') => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  }
  // For this process, only the time of its ended children.
  return ticks(statOf('self').slice(13, 15)) + pids.reduce((sum, pid) => sum + ticks(statOf(pid).slice(11, 13)), 0)
}

const recogniser = await openRecogniser({ program: process.env['LECTERN_TESSERACT'] ?? 'tesseract' })
if (typeof recogniser === 'string') throw new Error('Tesseract is missing')
interface Row {
  damage: Damage
  f1: number
  /** Against pdftotext alone. */
  plainF1: number
  seconds: number
}

const rows: Row[] = []
let count = 0
for (const { file, page, text } of samplePages(directory)) {
  if (count === Number(wanted)) break
  const damage = selectedDamages[count % selectedDamages.length] as Damage
  const seed = Math.floor(count / damages.length)
  count++
  const textLanguage = detectLanguage(text)
  if (!isTextVisible(file, page, minWords) || (textLanguage !== null && !recogniser.languages.includes(textLanguage)))
    continue
  const scan = await scanPdf(readFileSync(file), [{ page, damage, seed }])
  const before = cpuSeconds(recogniser.pids())
  const book = {
    name: `${file}:${page}`,
    bytes: scan.length,
    async *read() {
      yield scan
    },
  }
  const read = await recogniser.read({ file: book, accountId: 'bench', page: 1, language: null, named: null })
  const seconds = cpuSeconds(recogniser.pids()) - before
  const found = countWords(read.content)
  const compared = compareWords(found, [countWords(text), countWords(await readWithPdfjs(file, page))])
  const row = { damage, f1: f1Score(compared), plainF1: f1Score(compareWords(found, [countWords(text)])), seconds }
  rows.push(row)
  process.stdout.write(
    `${damage.padEnd(7)} ${row.f1.toFixed(3)} (${row.plainF1.toFixed(3)}) confidence ${read.confidence} ${seconds.toFixed(1)} s ${read.language} ${file}:${page}\n`,
  )
  if (isVerbose) process.stdout.write(`  lost: ${compared.lost.join(' ')}\n  extra: ${compared.extra.join(' ')}\n`)
}
for (const name of [...selectedDamages, 'all'] as const) {
  const chosen = rows.filter(({ damage }) => name === 'all' || damage === name)
  const mean = (pick: (row: Row) => number) =>
    chosen.reduce((sum, row) => sum + pick(row), 0) / Math.max(1, chosen.length)
  process.stdout.write(
    `${name.padEnd(7)} ${chosen.length} pages, word F1 ${mean(({ f1 }) => f1).toFixed(4)}, against pdftotext alone ${mean(({ plainF1 }) => plainF1).toFixed(4)}, ${mean(({ seconds }) => seconds).toFixed(1)} s of processor time a page\n`,
  )
}
await recogniser.close()
