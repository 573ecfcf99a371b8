import { execFileSync } from 'node:child_process'
import { fold } from './compare-headings.ts'

interface QpdfForm {
  acroform?: { fields?: { value?: unknown; fieldtype?: string }[] }
}

/** The number of values of text and choice fields according to qpdf, and how many of them the pages contain. */
export function compareForms(file: string, pages: readonly string[]): { values: number; kept: number } {
  const options = { maxBuffer: 1024 ** 3 }
  const args = ['--json=1', '--json-key=acroform', '--warning-exit-0', file]
  const { acroform } = JSON.parse(execFileSync('qpdf', args, options).toString()) as QpdfForm
  const text = fold(pages.join(' '))
  const values = (acroform?.fields ?? [])
    .filter(({ fieldtype }) => fieldtype === '/Tx' || fieldtype === '/Ch')
    .flatMap(({ value }) => (typeof value === 'string' && fold(value) !== '' ? [fold(value)] : []))
  return { values: values.length, kept: values.filter((value) => text.includes(value)).length }
}
