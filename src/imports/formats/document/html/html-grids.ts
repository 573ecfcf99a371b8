import { elementsOf, newElement, type MarkupElement } from './markup-tree.ts'

/** The elements of a table, by the roles of generic elements (WAI-ARIA 1.2). */
const elementOfRole: ReadonlyMap<string, string> = new Map(
  Object.entries({
    table: 'table',
    rowgroup: 'tbody',
    row: 'tr',
    columnheader: 'th',
    rowheader: 'th',
    cell: 'td',
  }),
)
const generic = /^(?:div|span|section|p)$/

/** Makes tables of what pages show as tables: elements with the roles of one, and the grids of Javadoc. */
export function buildTables(root: MarkupElement): void {
  const elements = [...elementsOf(root)]
  const hasRoles = elements.some(({ attributes }) => attributes['role'] === 'table')
  for (const element of elements) {
    const name = hasRoles ? elementOfRole.get(element.attributes['role'] ?? '') : undefined
    if (name !== undefined && generic.test(element.name)) element.name = name
    const rows = rowsOfGrid(element)
    if (rows === null) continue
    element.name = 'table'
    element.children = rows
  }
}

/** The rows of a grid whose first children are the heads of its columns; null for other elements. */
function rowsOfGrid({ children }: MarkupElement): MarkupElement[] | null {
  const first = children.find((child) => typeof child === 'object')
  if (first === undefined || !isHead(first)) return null
  const cells = children.filter((child) => typeof child === 'object')
  const columns = cells.findIndex((cell) => !isHead(cell))
  if (columns < 2 || cells.length % columns !== 0 || cells.some(({ name }) => name !== 'div')) return null
  return Array.from({ length: cells.length / columns }, (_, row) => ({
    ...newElement('tr', {}),
    children: cells
      .slice(row * columns, (row + 1) * columns)
      .map((cell) => ({ ...cell, name: row === 0 ? 'th' : 'td', attributes: {} })),
  }))
}

function isHead({ attributes }: MarkupElement): boolean {
  return /(?:^|\s)table-header(?:\s|$)/.test(attributes['class'] ?? '')
}
