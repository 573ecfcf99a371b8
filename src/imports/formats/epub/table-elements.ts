import type { Attributes, Conversion, Leave } from './conversion.ts'
import { buildTable } from './build-table.ts'

const mostSpanned = 100

export function enterTable(to: Conversion): Leave {
  to.writer.flush()
  to.tables.push({ rows: [], headed: false })
  return () => {
    to.writer.flush()
    const table = to.tables.pop()
    if (table === undefined) return
    const block = buildTable(table)
    if (block !== null) to.writer.emit(block)
    else for (const cell of table.rows.flat()) for (const part of cell.blocks) to.writer.emit(part)
  }
}

/** The first row is a head when it stands in a `thead`. */
export function enterHead(to: Conversion): Leave {
  const table = to.tables.at(-1)
  if (table !== undefined && table.rows.length === 0) table.headed = true
  return null
}

export function enterRow(to: Conversion): Leave {
  to.writer.flush()
  to.writer.count()
  to.tables.at(-1)?.rows.push([])
  return () => to.writer.flush()
}

export function enterCell(to: Conversion, attributes: Attributes, name: string): Leave {
  const table = to.tables.at(-1)
  if (table === undefined || table.rows.length === 0) {
    to.writer.flush()
    return () => to.writer.flush()
  }
  to.writer.count()
  const { lists } = to
  to.lists = []
  to.writer.beginCell()
  return () => {
    to.lists = lists
    table.rows.at(-1)?.push({
      blocks: to.writer.endCell(),
      header: name === 'th',
      columns: span(attributes.colspan),
      rows: span(attributes.rowspan),
    })
  }
}

function span(value: string | undefined): number {
  const count = Number.parseInt(value ?? '1', 10)
  return Number.isNaN(count) ? 1 : Math.min(Math.max(count, 1), mostSpanned)
}
