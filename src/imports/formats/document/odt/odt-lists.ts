import type { ElementWriter } from '../markup/element-writer.ts'
import { ListWriter } from '../markup/list-writer.ts'
import type { OdtStyles } from './odt-styles.ts'
import { childNodes, type XmlNode } from '../markup/xml-blocks.ts'

/** The numbers of the lists of a document, which a later list can continue (ODF 1.3, part 3, 5.3.3). */
export class OdtListNumbers {
  /** The next numbers of every list by level. */
  private readonly counts = new Map<string, number[]>()
  /** The lists by their `xml:id`, and the last one with each style. */
  private readonly byId = new Map<string, string>()
  private readonly byStyle = new Map<string, string>()

  /** The list that an element begins or continues. */
  listOf({ attributes }: XmlNode, style: string): { list: string; isContinued: boolean } {
    const { 'xml:id': id, 'text:continue-list': continuedId } = attributes
    const continued =
      (continuedId === undefined ? undefined : this.byId.get(continuedId)) ??
      (attributes['text:continue-numbering'] === 'true' ? this.byStyle.get(style) : undefined)
    const list = continued ?? `${this.counts.size}`
    if (continued === undefined) this.counts.set(list, [])
    if (id !== undefined) this.byId.set(id, list)
    this.byStyle.set(style, list)
    return { list, isContinued: continued !== undefined }
  }

  /** Starts a level of a list again. */
  restart(list: string, level: number): void {
    const counts = this.counts.get(list)
    if (counts !== undefined) counts.length = Math.min(counts.length, level)
  }

  /** The number of the next item, which is `start` if it is given, or the first one of its level. */
  next(list: string, level: number, { start, first }: { start: number | null; first: number }): number {
    const counts = this.counts.get(list) ?? []
    const number = start ?? counts[level] ?? first
    counts.length = level
    counts[level] = number + 1
    return number
  }
}

type WriteBlocks = (blocks: readonly XmlNode[]) => void

interface OdtList {
  list: string
  style: string
  /** From 0. */
  level: number
  isContinued: boolean
}

/**
 * Writes the lists of a text, a note or a cell. LibreOffice and Word divide a list into elements that continue each
 * other: an item without a paragraph of its own only indents the list in it.
 */
export class OdtLists {
  private readonly lists: ListWriter
  private readonly styles: OdtStyles
  private readonly numbers: OdtListNumbers

  constructor(writer: ElementWriter, { styles, numbers }: { styles: OdtStyles; numbers: OdtListNumbers }) {
    this.lists = new ListWriter(writer)
    this.styles = styles
    this.numbers = numbers
  }

  /** Writes a `text:list`; `write` writes the blocks of its items. It stays open for a list that continues it. */
  write(node: XmlNode, write: WriteBlocks): void {
    const style = node.attributes['text:style-name'] ?? ''
    this.writeLevel(node, { style, level: 0, ...this.numbers.listOf(node, style) }, write)
  }

  /** Ends the open lists. */
  end(): void {
    this.lists.end()
  }

  private writeLevel(node: XmlNode, list: OdtList, write: WriteBlocks): void {
    const { level, isContinued } = list
    if (!isContinued && node.attributes['text:continue-numbering'] !== 'true') this.numbers.restart(list.list, level)
    for (const item of childNodes(node)) {
      if (item.name !== 'text:list-item' && item.name !== 'text:list-header') continue
      const blocks = childNodes(item)
      const isHeading = blocks[0]?.name === 'text:h'
      const isItem = !isHeading && blocks[0]?.name !== 'text:list'
      if (isHeading) this.end()
      if (isItem) this.begin(item, list)
      let own: XmlNode[] = []
      const writeOwn = (): void => {
        if (own.length === 0) return
        this.lists.continueItem(level)
        write(own)
        own = []
      }
      for (const block of blocks) {
        if (block.name !== 'text:list') {
          own.push(block)
          continue
        }
        writeOwn()
        const style = block.attributes['text:style-name'] ?? list.style
        this.writeLevel(block, { ...list, style, level: level + 1, isContinued: isContinued && !isItem }, write)
      }
      writeOwn()
    }
  }

  private begin(item: XmlNode, { list, style, level }: OdtList): void {
    const { isNumbered, isBlank, first, type, pattern } = this.styles.listLevel(style, level + 1)
    // A paragraph without a label belongs to the item before it.
    if (item.name === 'text:list-header' || isBlank) return
    const value = Number(item.attributes['text:start-value'] ?? Number.NaN)
    const number = this.numbers.next(list, level, { start: Number.isNaN(value) ? null : value, first })
    this.lists.item({ id: list, level, name: isNumbered ? 'ol' : 'ul', number, type, pattern })
  }
}
