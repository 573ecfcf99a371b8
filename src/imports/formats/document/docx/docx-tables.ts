import { childNodes, findChild, nodeText, type XmlNode } from '../markup/xml-blocks.ts'

/** True if the table style emphasizes the first row (ECMA-376, part 1, 17.4.55), and none of its cells is empty. */
export function hasFirstRow(table: XmlNode): boolean {
  const look = findChild(findChild(table, 'w:tblPr'), 'w:tblLook')?.attributes
  const isEmphasized =
    /^(?:1|true|on)$/.test(look?.['w:firstRow'] ?? '') || (Number.parseInt(look?.['w:val'] ?? '0', 16) & 0x20) > 0
  const [first] = rowsOf(table)
  return isEmphasized && first !== undefined && cellsOf(first).every((cell) => nodeText(cell).trim() !== '')
}

/** The rows of a table, including those in content controls; without deleted ones (tracked changes). */
export function rowsOf(table: XmlNode): XmlNode[] {
  return childNodes(table).flatMap((child) => {
    if (child.name === 'w:sdt') return rowsOf(findChild(child, 'w:sdtContent') ?? child)
    const isDeleted = findChild(findChild(child, 'w:trPr'), 'w:del') !== undefined
    return child.name === 'w:tr' && !isDeleted ? [child] : []
  })
}

/** The cells of a row, including those in content controls. */
export function cellsOf(row: XmlNode): XmlNode[] {
  return childNodes(row).flatMap((child) =>
    child.name === 'w:tc' ? [child] : child.name === 'w:sdt' ? cellsOf(findChild(child, 'w:sdtContent') ?? child) : [],
  )
}
