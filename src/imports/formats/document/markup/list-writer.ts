import type { ElementWriter } from './element-writer.ts'

/** The position of a paragraph in a list. */
export interface ListItem {
  id: string
  /** From 0. */
  level: number
  name: 'ul' | 'ol'
  /** The number of the first item. Default: 1. */
  start?: number | undefined
  /** The number of this item. Default: the next one of its list. */
  number?: number | undefined
  /** `type` attribute of HTML, for letters or Roman numerals. */
  type?: string | null | undefined
  /** The text around the number, with `%` as its placeholder. */
  pattern?: string | undefined
}

/** Writes paragraphs with a list and a level as nested lists. */
export class ListWriter {
  private readonly writer: ElementWriter
  /** The open lists from the outside in; each has an open item. */
  private readonly open: { id: string; name: 'ul' | 'ol'; depth: number }[] = []
  /** The next numbers of every list by level, for lists that continue after other text. */
  private readonly numbers = new Map<string, number[]>()

  constructor(writer: ElementWriter) {
    this.writer = writer
  }

  /**
   * Begins an item at a level (from 0) of a list that starts with the number `start`; the caller writes its content.
   */
  item({ id, level, name, start = 1, type = null, pattern = '%.', ...item }: ListItem): void {
    const wanted = Math.min(Math.max(level, 0), 8)
    while (this.open.length > wanted + 1) this.closeList()
    const current = this.open.at(-1)
    if (this.open.length === wanted + 1 && (current?.id !== id || current.name !== name)) this.closeList()
    if (this.open.length === wanted + 1) this.writer.closeTo(this.open.at(-1)?.depth ?? 0)
    while (this.open.length < wanted) this.openList(id, 'ul')
    if (this.open.length === wanted) this.openList(id, name, type === null ? {} : { type, 'data-pattern': pattern })
    const numbers = this.numbers.get(id) ?? []
    const number = item.number ?? numbers[wanted] ?? start
    numbers.length = wanted
    numbers[wanted] = number + 1
    this.numbers.set(id, numbers)
    this.writer.open('li', name === 'ol' ? { value: `${number}` } : {})
  }

  /**
   * Continues the open item at a level, or the deepest one; returns false if no list is open. The caller writes the
   * paragraph.
   */
  continueItem(level: number): boolean {
    while (this.open.length > level + 1) this.closeList()
    const last = this.open.at(-1)
    if (last === undefined) return false
    this.writer.closeTo(last.depth + 1)
    return true
  }

  get isOpen(): boolean {
    return this.open.length > 0
  }

  /** Ends all lists. */
  end(): void {
    while (this.open.length > 0) this.closeList()
  }

  private openList(id: string, name: 'ul' | 'ol', attributes: Readonly<Record<string, string>> = {}): void {
    this.writer.open(name, attributes)
    this.open.push({ id, name, depth: this.writer.depth })
  }

  private closeList(): void {
    const list = this.open.pop()
    if (list !== undefined) this.writer.closeTo(list.depth - 1)
  }
}
