/**
 * Measures text recognition: `node bench/import-ocr.ts DIR [pages] [tune|report|all] [damage]`. Creates scans of pages
 * of the PDFs in DIR (a quarter each copied, turned, skewed and noisy, or all with one kind of damage, such as
 * `bound`). Recognises them like a worker does, and compares the words with those of pdftotext. Requires Tesseract and
 * pdftotext. Prints a row per page and the mean per kind of damage: word F1, confidence, and seconds of processor time
 * for drawing and recognising. Files whose name hashes to 0–7 are for tuning, the others for reporting; the default is
 * both. Skips pages whose text is outside their crop box, where it is invisible.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openRecogniser } from '../src/imports/ocr/recogniser.ts'
import { damages, otherDamages, scanPdf, type Damage } from '../test/support/scans.ts'

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

const [directory, wanted = '40', part = 'all', only] = process.argv.slice(2)
if (directory === undefined) throw new Error('node bench/import-ocr.ts DIR [pages] [tune|report|all] [damage]')
const kinds: readonly Damage[] = [...damages, ...otherDamages].filter((damage) => damage === only)
const selectedDamages = kinds.length > 0 ? kinds : damages

function* samplePages(folder: string): Generator<Sample> {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.pdf') && isSelected(name))
    .toSorted((a, b) => hashOf(a).localeCompare(hashOf(b)))
    .map((name) => join(folder, name))
  for (let round = 0; round < 4; round++) {
    for (const file of files) {
      const count = Number(/^Pages:\s+(\d+)/m.exec(run('pdfinfo', file))?.[1] ?? 0)
      const page = Math.max(1, Math.floor(count * (0.3 + 0.2 * round)))
      if (count === 0 || page > count) continue
      const text = run('pdftotext', '-f', String(page), '-l', String(page), file, '-')
      if (wordsOf(text).length >= minWords && !foreignLetters.test(text)) yield { file, page, text }
    }
  }
}

/**
 * True if the text of a page is inside its crop box, which is the drawn part; pdftotext returns the text of the whole
 * sheet.
 */
function isVisible(file: string, page: number): boolean {
  const pages = ['-f', String(page), '-l', String(page)]
  const boxes = run('pdfinfo', '-box', ...pages, file)
  const boxOf = (name: string) => new RegExp(`${name}: +([-\\d. ]+)`).exec(boxes)?.[1]?.split(/ +/).map(Number) ?? []
  const [left = 0, bottom = 0, right = 0, top = 0] = boxOf('CropBox')
  if (boxOf('MediaBox').join(' ') === boxOf('CropBox').join(' ')) return true
  const size = ['-W', String(Math.ceil(right - left)), '-H', String(Math.ceil(top - bottom))]
  const seen = run('pdftotext', ...pages, '-cropbox', '-x', '0', '-y', '0', ...size, file, '-')
  return wordsOf(seen).length >= minWords
}

function isSelected(name: string): boolean {
  return part === 'all' || /^[0-7]/.test(hashOf(name)) === (part === 'tune')
}

function hashOf(name: string): string {
  return createHash('sha256').update(name).digest('hex')
}

function run(program: string, ...args: string[]): string {
  try {
    return execFileSync(program, args, { maxBuffer: 1024 ** 3, stdio: ['ignore', 'pipe', 'ignore'] }).toString()
  } catch {
    return ''
  }
}

function wordsOf(text: string): string[] {
  const joined = text.normalize('NFKC').replaceAll(/[-\u2010\u00ad]\n/g, '')
  return joined.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** The F1 score of the common words in any order: the harmonic mean of both shares. */
function f1Score(found: readonly string[], expected: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const word of expected) counts.set(word, (counts.get(word) ?? 0) + 1)
  let common = 0
  for (const word of found) {
    const left = counts.get(word) ?? 0
    if (left > 0) common++
    counts.set(word, left - 1)
  }
  return (2 * common) / Math.max(1, found.length + expected.length)
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
const scores = new Map<Damage, { f1: number; seconds: number }[]>(selectedDamages.map((damage) => [damage, []]))
let count = 0
for (const { file, page, text } of samplePages(directory)) {
  if (count === Number(wanted)) break
  const damage = selectedDamages[count % selectedDamages.length] as Damage
  const seed = Math.floor(count / damages.length)
  count++
  if (!isVisible(file, page)) continue
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
  const f1 = f1Score(wordsOf(read.content), wordsOf(text))
  scores.get(damage)?.push({ f1, seconds })
  process.stdout.write(
    `${damage.padEnd(7)} ${f1.toFixed(3)} confidence ${read.confidence} ${seconds.toFixed(1)} s ${read.language} ${file}:${page}\n`,
  )
}
const all = [...scores.values()].flat()
for (const [name, rows] of [...scores, ['all', all] as const]) {
  const mean = (pick: (row: { f1: number; seconds: number }) => number) =>
    rows.reduce((sum, row) => sum + pick(row), 0) / Math.max(1, rows.length)
  process.stdout.write(
    `${name.padEnd(7)} ${rows.length} pages, word F1 ${mean(({ f1 }) => f1).toFixed(4)}, ${mean(({ seconds }) => seconds).toFixed(1)} s of processor time a page\n`,
  )
}
await recogniser.close()
