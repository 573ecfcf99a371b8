import { FormatError } from '../format.ts'
import type { HrefTarget } from './resolve-path.ts'

/** Maximum number of element ids of a book whose pages are recorded. */
const maxIds = 500_000

/** The pages of a book on which its files and their elements start; one-based. */
export class PagePositions {
  /** The number of pages so far. */
  pageCount = 0
  private readonly maxPages: number
  private readonly files = new Map<string, { firstPage: number; ids: Map<string, number> }>()
  private idCount = 0

  constructor(maxPages: number) {
    this.maxPages = maxPages
  }

  /** Begins a file. It starts on the next page; one without text, on the page that follows it. */
  beginFile(path: string): void {
    this.files.set(path, { firstPage: this.pageCount + 1, ids: new Map() })
  }

  /** Adds a page of a file with the element ids on it, and returns its number. Throws `TOO_LARGE`. */
  addPage(path: string, elementIds: readonly string[]): number {
    if (this.pageCount >= this.maxPages) throw new FormatError('TOO_LARGE', `more than ${this.maxPages} pages`)
    this.pageCount++
    const ids = this.files.get(path)?.ids
    for (const id of elementIds) {
      if (this.idCount >= maxIds) break
      if (ids === undefined || ids.has(id)) continue
      ids.set(id, this.pageCount)
      this.idCount++
    }
    return this.pageCount
  }

  /** The page of an element of a file; null for an element that is not in the book. */
  pageOfElement(path: string, id: string): number | null {
    return this.files.get(path)?.ids.get(id) ?? null
  }

  /** The page of an element, otherwise the first one of its file; null for a file that is not in the book. */
  pageOf({ path, fragment }: HrefTarget): number | null {
    const file = this.files.get(path)
    if (file === undefined) return null
    return Math.min(file.ids.get(fragment ?? '') ?? file.firstPage, this.pageCount)
  }
}
