import type { Attributes, Conversion, Leave } from './conversion.ts'
import { buildTable } from './build-table.ts'
import { enterNote } from './container-elements.ts'
import { isNote, isNoteNumber } from './note-labels.ts'

const maxSpan = 100

export function enterTable(converter: Conversion, attributes: Attributes): Leave {
  converter.writer.flush()
  // Older versions of Docutils write notes as tables.
  if (attributes['id'] !== undefined && isNote(attributes)) return enterNote(converter, attributes)
  converter.tables.push({ rows: [], hasHeader: false })
  return () => {
    converter.writer.flush()
    const table = converter.tables.pop()
    if (table === undefined) return
    const block = buildTable(table)
    if (block !== null) converter.writer.emit(block)
    else for (const cell of table.rows.flat()) for (const part of cell.blocks) converter.writer.emit(part)
  }
}

/** Records that the first row is a header if it is in a `thead`. */
export function enterTableHead(converter: Conversion): Leave {
  const table = converter.tables.at(-1)
  if (table !== undefined && table.rows.length === 0) table.hasHeader = true
  return null
}

export function enterRow(converter: Conversion): Leave {
  converter.writer.flush()
  converter.writer.countPiece()
  converter.tables.at(-1)?.rows.push([])
  return () => converter.writer.flush()
}

export function enterCell(converter: Conversion, attributes: Attributes, name: string): Leave {
  const table = converter.tables.at(-1)
  if (table === undefined || table.rows.length === 0) {
    converter.writer.flush()
    if (converter.noteDepth > 0 && isNoteNumber(attributes)) converter.leaveOut()
    return () => converter.writer.flush()
  }
  converter.writer.countPiece()
  const { lists } = converter
  converter.lists = []
  converter.writer.beginCell()
  return () => {
    converter.lists = lists
    table.rows.at(-1)?.push({
      blocks: converter.writer.endCell(),
      header: name === 'th',
      columnSpan: parseSpan(attributes['colspan']),
      rowSpan: parseSpan(attributes['rowspan']),
    })
  }
}

function parseSpan(value: string | undefined): number {
  const count = Number.parseInt(value ?? '1', 10)
  return Number.isNaN(count) ? 1 : Math.min(Math.max(count, 1), maxSpan)
}
