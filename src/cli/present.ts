import { presentTable } from './present-table.ts'
import { clean, inline, isFields, oneLine, type Fields } from './show-value.ts'
import { bold, type Style } from './style.ts'

/** A response as text; `remarks` is what does not belong to a list on stdout. */
export interface Presented {
  text: string
  remarks: string[]
}

/** Formats a response: pages unchanged, lists as tables, everything else as aligned `name: value`. */
export function presentAnswer(body: unknown, style: Style): Presented {
  if (Array.isArray(body)) return { text: presentRows(body, style), remarks: [] }
  if (!isFields(body)) return { text: clean(String(body)), remarks: [] }
  if (typeof body['content'] === 'string') return { text: clean(body['content']).trimEnd(), remarks: [] }
  const list = listOf(body)
  if (list === null) return { text: presentFields(withoutWrapper(body), style), remarks: [] }
  const [name, rows] = list
  const { [name]: _, ...others } = body
  const remarks = Object.entries(others)
    .filter(([, value]) => !isEmpty(value))
    .map(([field, value]) => `${field}: ${inline(value)}`)
  remarks.unshift(...rows.flatMap(remarksOf))
  if (rows.length === 0 && style.isTerminal) remarks.unshift(`No ${wordsOf(name)}.`)
  return { text: rows.some(hasPages) ? presentBooks(rows as Fields[], style) : presentRows(rows, style), remarks }
}

/** Rows with places in their text, such as search hits, are shown with them; others as a table. */
function presentRows(rows: readonly unknown[], style: Style): string {
  const nested = style.isTerminal ? ['hits', 'tocTree'] : ['hits', 'toc']
  const name = nested.find((field) => rows.some((row) => isFields(row) && Array.isArray(row[field])))
  if (name === undefined) return presentTable(rows, style)
  return (rows as Fields[]).flatMap((row) => presentPlaces(row, (row[name] ?? []) as Fields[], style)).join('\n')
}

/** A book with a line for each place in it; nested chapters are indented. */
function presentPlaces(book: Fields, places: readonly Fields[], style: Style): string[] {
  if (!style.isTerminal) return places.map((place) => [inline(book['id']), ...placeOf(place)].join('\t'))
  const lines = (below: readonly Fields[], indent: string): string[] =>
    below.flatMap((place) => {
      const [page, text] = placeOf(place)
      const children = (place['children'] ?? []) as Fields[]
      return [`${page.padStart(6)}  ${indent}${text}`.slice(0, style.columns), ...lines(children, `${indent}  `)]
    })
  return [`${bold(oneLine(book['title'] ?? ''), style)}  ${inline(book['id'])}`, ...lines(places, '')]
}

function placeOf(place: Fields): [page: string, text: string] {
  return [inline(place['page'] ?? place['startPage']), oneLine(place['snippet'] ?? place['title'] ?? '')]
}

/** Books with the text of their pages. */
function presentBooks(books: readonly Fields[], style: Style): string {
  return books
    .map((book) => {
      const pages = (book['pages'] ?? []) as Fields[]
      const many = books.length > 1 ? [bold(`${oneLine(book['title'])}  ${inline(book['id'])}`, style), ''] : []
      const texts = pages.flatMap(({ pageNum, content }) => [
        ...(pages.length > 1 ? [bold(`— ${inline(pageNum)} —`, style)] : []),
        clean(String(content)).trimEnd(),
      ])
      return [...many, ...texts].join('\n\n').replaceAll(/\n{3,}/g, '\n\n')
    })
    .join('\n\n')
}

/** A book that was opened; its pages may be none. */
function hasPages(row: unknown): row is Fields {
  return isFields(row) && Array.isArray(row['pages']) && 'freshness' in row
}

/** Why pages of a book that was opened are missing. */
function remarksOf(row: unknown): string[] {
  if (!hasPages(row)) return []
  return [row['healthReason'], row['unfinished'], row['note']].filter((text) => typeof text === 'string')
}

/** Aligned `name: value` lines; the fields of a nested object are below its name. */
function presentFields(fields: Fields, style: Style, indent = ''): string {
  const shown = Object.entries(fields).filter(([, value]) => value !== undefined)
  const width = Math.max(0, ...shown.filter(([, value]) => !isNested(value)).map(([name]) => name.length))
  return shown
    .map(([name, value]) => {
      if (!isNested(value)) return `${indent}${`${name}:`.padEnd(width + 2)}${inline(value)}`.trimEnd()
      const below = isFields(value)
        ? presentFields(value, style, `${indent}  `)
        : presentTable(value as unknown[], { ...style, isTerminal: true })
            .split('\n')
            .map((line) => `${indent}  ${line}`)
            .join('\n')
      return `${indent}${name}:\n${below}`
    })
    .join('\n')
}

/** The only list of records that a response consists of, with its name; null for other responses. */
function listOf(body: Fields): [name: string, rows: unknown[]] | null {
  const lists = Object.entries(body).filter(([, value]) => Array.isArray(value)) as [string, unknown[]][]
  const ofRecords = lists.filter(([, rows]) => rows.length > 0 && rows.every(isFields))
  const [only] = ofRecords.length > 0 ? ofRecords : lists
  if (!only || ofRecords.length > 1) return null
  // An object that contains a list is not a list.
  const own = Object.entries(body).filter(([name, value]) => name !== only[0] && !Array.isArray(value))
  return 'id' in body || own.filter(([, value]) => isFields(value)).length > 1 ? null : only
}

/** Unwraps a response with one object: `{job: {…}}` is shown as the job. */
function withoutWrapper(body: Fields): Fields {
  const values = Object.values(body)
  return values.length === 1 && isFields(values[0]) ? values[0] : body
}

function isNested(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isFields)
  return isFields(value) && Object.keys(value).length > 0
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === false || (Array.isArray(value) && value.length === 0)
}

function wordsOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
