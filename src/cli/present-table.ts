import { inline, isFields, type Fields } from './show-value.ts'
import { bold, type Style } from './style.ts'

/** Columns that identify a row and come first. */
const leading = ['id', 'title', 'name', 'email', 'status', 'type', 'pageCount']

/**
 * Formats rows as a table with as many columns as fit on a terminal; elsewhere as tab-separated lines with all columns
 * and without a heading.
 */
export function presentTable(rows: readonly unknown[], style: Style): string {
  if (!rows.every(isFields)) return rows.map(inline).join('\n')
  const records = rows as Fields[]
  const found = [...new Set(records.flatMap(Object.keys))]
  if (!style.isTerminal) return records.map((row) => found.map((name) => inline(row[name])).join('\t')).join('\n')
  const names = found
    .filter((name) => records.some((row) => inline(row[name]) !== '' && row[name] !== false))
    .toSorted((a, b) => rankOf(a) - rankOf(b))
  const columns = fitColumns(
    names.map((name) => [name, ...records.map((row) => inline(row[name]))]),
    style.columns,
  )
  return ['', ...records]
    .map((_, i) => {
      const line = columns
        .map(({ cells, width }) => fit(cells[i] ?? '', width))
        .join('  ')
        .trimEnd()
      return i === 0 ? bold(line, style) : line
    })
    .join('\n')
}

function rankOf(name: string): number {
  const rank = leading.indexOf(name)
  return rank === -1 ? leading.length : rank
}

interface Column {
  cells: string[]
  width: number
}

/** The first columns that fit into a line: wide ones are truncated, and those without any space are omitted. */
function fitColumns(columns: readonly string[][], lineWidth: number): Column[] {
  const fitting: Column[] = []
  let room = lineWidth
  for (const cells of columns) {
    const widest = Math.max(...cells.map(widthOf))
    // A truncated id would be useless.
    const width = fitting.length === 0 ? widest : Math.min(widest, 40, room)
    if (fitting.length > 0 && width < Math.min(widest, 8)) break
    fitting.push({ cells, width })
    room -= width + 2
  }
  return fitting
}

function fit(text: string, width: number): string {
  const cut = widthOf(text) > width ? `${cutTo(text, width - 1)}…` : text
  return cut + ' '.repeat(Math.max(0, width - widthOf(cut)))
}

function cutTo(text: string, width: number): string {
  let [cut, used] = ['', 0]
  for (const character of text) {
    used += widthOf(character)
    if (used > width) break
    cut += character
  }
  return cut
}

/** Display width of a text: East Asian characters take two columns, combining marks none. */
function widthOf(text: string): number {
  let width = 0
  for (const character of text)
    width += /\p{M}/u.test(character)
      ? 0
      : /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/u.test(
            character,
          )
        ? 2
        : 1
  return width
}
