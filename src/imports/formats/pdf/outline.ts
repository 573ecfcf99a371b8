import type { TocEntry } from '../format.ts'
import { undoDoubleEncoding } from './characters/double-encoding.ts'
import type { OutlineNode } from './page/pdf-file.ts'

/**
 * The outline of a book. Resolves destinations only up to the requested pages, because resolving a large outline takes
 * half a second.
 */
export class Outline {
  readonly #nodes: readonly OutlineNode[]
  readonly #entries: TocEntry[] = []
  readonly #byPage = new Map<number, TocEntry[]>()
  #next = 0
  /** Entries without a destination. They get the page of their first child. */
  #pageless: OutlineNode[] = []

  constructor(nodes: readonly OutlineNode[]) {
    this.#nodes = nodes
  }

  /** The number of entries, whether resolved or not. */
  get size(): number {
    return this.#nodes.length
  }

  /**
   * The entries of a page (from 1), in order. Entries that are out of page order are missing unless they have been
   * resolved already.
   */
  async entriesForPage(page: number): Promise<TocEntry[]> {
    while (this.#next < this.#nodes.length && (this.#entries.at(-1)?.page ?? 0) <= page) await this.#resolveNext()
    return this.#byPage.get(page) ?? []
  }

  /** All entries of the table of contents, except those without a destination of their own or of a child. */
  async all(): Promise<TocEntry[]> {
    while (this.#next < this.#nodes.length) await this.#resolveNext()
    return this.#entries
  }

  async #resolveNext(): Promise<void> {
    const node = this.#nodes[this.#next]
    this.#next += 1
    if (!node) return
    this.#pageless = this.#pageless.filter((parent) => parent.level < node.level)
    const page = await node.page()
    this.#pageless.push(node)
    if (page === null) return
    for (const { title, level } of this.#pageless) this.#add({ title: undoDoubleEncoding(title), level, page })
    this.#pageless = []
  }

  #add(entry: TocEntry): void {
    this.#entries.push(entry)
    const siblings = this.#byPage.get(entry.page)
    if (siblings) siblings.push(entry)
    else this.#byPage.set(entry.page, [entry])
  }
}
