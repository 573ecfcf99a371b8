import { expect, test } from 'vitest'
import { showText } from '../../support/pdf.ts'
import { readPdf, readPdfPage } from '../../support/read-pdf.ts'

const size = 8
const leading = 10

interface Column {
  x: number
  /** The baseline of its first row. */
  y: number
  name: string
}

/** A heading and descriptions with their commands, in two groups. */
function column({ x, y, name }: Column): string {
  const row = (at: number) =>
    showText(`describe the ${name} number ${at}`, { x, y: y - at * leading, size }) +
    showText(`${name}${at}`, { x: x + 125, y: y - at * leading, size })
  return (
    showText(`All of ${name}`, { x, y, size, font: 'F2' }) + Array.from({ length: 16 }, (_, at) => row(at + 1)).join('')
  )
}

/** The table that a column should become. */
function tableOf(name: string): string {
  const rows = Array.from({ length: 16 }, (_, at) => `| describe the ${name} number ${at + 1} | ${name}${at + 1} |`)
  return [rows[0], '| --- | --- |', ...rows.slice(1)].join('\n')
}

test('the columns of a reference card are read one after the other, each as a table', async () => {
  const columns: Column[] = [
    { x: 30, y: 700, name: 'path' },
    { x: 220, y: 704, name: 'pen' },
    { x: 410, y: 697, name: 'node' },
  ]
  const title = showText(
    'Paths, pens and nodes: everything that a drawing of today needs, in three columns on one page',
    {
      x: 120,
      y: 740,
      size,
    },
  )
  const page = await readPdfPage(title + columns.map(column).join(''))
  const [first, ...parts] = page.split('\n\n')
  expect(first).toBe('Paths, pens and nodes: everything that a drawing of today needs, in three columns on one page')
  expect(parts.join('\n\n')).toBe(columns.map(({ name }) => `All of ${name}\n\n${tableOf(name)}`).join('\n\n'))
})

test('four columns are not two wide ones', async () => {
  const columns: Column[] = [
    { x: 30, y: 700, name: 'path' },
    { x: 220, y: 704, name: 'pen' },
    { x: 410, y: 697, name: 'node' },
    { x: 600, y: 702, name: 'shade' },
  ]
  const [page] = await readPdf({ pages: [{ content: columns.map(column).join(''), width: 790 }] })
  expect(page).toBe(columns.map(({ name }) => `All of ${name}\n\n${tableOf(name)}`).join('\n\n'))
})
