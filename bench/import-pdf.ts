/**
 * Measures PDF → Markdown against pdftotext and qpdf, which must be installed: `node bench/import-pdf.ts DIR [name …]`.
 * Prints a row for each PDF in DIR: pages, seconds, pdftotext's seconds in the same run, their ratio, milliseconds to
 * the first page, word and bigram F1 against pdftotext, bigram F1 against `pdftotext -raw` if that is higher (it keeps
 * table rows together, unlike the default), and the share of outline entries that qpdf puts on the same page.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { warmPdf } from '../src/imports/formats/pdf/open-pdf.ts'
import { measurePdf } from './import/measure-pdf.ts'
import type { PdfMeasurement } from './import/measure-pdf.ts'

/** The processor time of pdftotext over ours. */
function cpuRatio({ cpu }: PdfMeasurement): number {
  return cpu.pdftotext / cpu.ours
}

function print(name: string, row: PdfMeasurement): void {
  const ratio = row.reference / row.seconds
  const cells = [
    name.padEnd(26),
    String(row.pages).padStart(5),
    row.seconds.toFixed(2).padStart(7),
    row.reference.toFixed(2).padStart(9),
    ratio.toFixed(2).padStart(5),
    cpuRatio(row).toFixed(2).padStart(5),
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
if (first !== undefined) await measurePdf(join(directory, first)) // warms the compiler; not counted
const rows: PdfMeasurement[] = []
for (const name of files) {
  const row = await measurePdf(join(directory, name))
  rows.push(row)
  print(name, row)
}
const mean = (list: readonly PdfMeasurement[], value: (row: PdfMeasurement) => number): number =>
  list.reduce((sum, row) => sum + value(row), 0) / list.length
const big = rows.filter((row) => row.pages > 250)
const low = files.filter((_, index) => (rows[index]?.words ?? 1) < 0.9)
const summary = [
  `mean words F1 ${mean(rows, (row) => row.words).toFixed(4)}, least ${Math.min(...rows.map((row) => row.words)).toFixed(4)}`,
  `mean bigram F1 ${mean(rows, (row) => row.bigrams).toFixed(4)}, best order ${mean(rows, (row) => row.bestBigrams).toFixed(4)}`,
  `words F1 under 0.90: ${low.length}${low.length > 0 ? ` (${low.join(', ')})` : ''}`,
  `books over 250 pages: mean ratio ${mean(big, (row) => row.reference / row.seconds).toFixed(2)}, least ${Math.min(...big.map((row) => row.reference / row.seconds)).toFixed(2)}`,
  `  by processor time: mean ${mean(big, cpuRatio).toFixed(2)}, least ${Math.min(...big.map(cpuRatio)).toFixed(2)}`,
]
process.stdout.write(`${summary.join('\n')}\n`)
