import type { Pacer } from '../runtime/turns.ts'
import type { EmbeddedBook, EmbeddingStores } from './embedding-store.ts'
import { cosineAt, type Vector, type VectorBlock } from './vector.ts'

/** A page whose vector is similar to that of a query. */
export interface NearPage {
  bookId: string
  /** Page number in `version`, which may not be the current one. */
  page: number
  version: number
  /** -1 to 1. */
  cosine: number
}

/** Books of one owner to search. */
export interface VectorSource {
  ownerId: string
  /** Null: all books. */
  includes: ((bookId: string) => boolean) | null
}

export interface NearestSearch {
  vector: Vector
  model: string
  sources: readonly VectorSource[]
  /** Books that are searched first, in case there are more pages than the limit. */
  first: ReadonlySet<string>
  pacer: Pacer
}

/** Maximum number of pages per search: about a tenth of a second for 768 dimensions. */
const maxPages = 100_000
const maxNear = 100
/** Number of parts per read. */
const partsPerRead = 64

/** The 100 pages nearest to a vector, nearest first, computed in short steps; leaves out dissimilar pages. */
export async function findNearestPages(
  { embeddings }: EmbeddingStores,
  { vector, model, sources, first, pacer }: NearestSearch,
): Promise<NearPage[]> {
  const books: EmbeddedBook[] = []
  for (const { ownerId, includes } of sources) {
    const owned = await embeddings.listOwned(ownerId)
    books.push(...owned.filter((book) => book.model === model && (includes === null || includes(book.id))))
    if (pacer.isDue()) await pacer.yieldTurn()
  }
  const ordered = [...books.filter(({ id }) => first.has(id)), ...books.filter(({ id }) => !first.has(id))]
  const parts = ordered.flatMap((book) => book.parts.map((part) => ({ book, part })))
  const near = createNearest()
  let pages = 0
  for (let from = 0; from < parts.length && pages < maxPages; from += partsPerRead) {
    const some = parts.slice(from, from + partsPerRead)
    const blocks = await embeddings.readParts(some.map(({ part }) => part.id))
    for (const { book, part } of some) {
      const block = blocks.get(part.id)
      if (block?.dimensions === vector.values.length) scan(block, { book, pages: part.pages, vector, near })
      pages += part.pages.length
      if (pacer.isDue()) await pacer.yieldTurn()
    }
  }
  return near.best()
}

interface Scan {
  book: EmbeddedBook
  pages: Uint32Array
  vector: Vector
  near: Nearest
}

function scan(block: VectorBlock, { book, pages, vector, near }: Scan): void {
  for (let at = 0; at < block.scales.length; at++) {
    const page = pages[at] ?? 0
    if (page === 0) continue
    const cosine = cosineAt(block, at, vector)
    if (cosine > near.least()) near.add({ bookId: book.id, version: book.version, page, cosine })
  }
}

interface Nearest {
  /** The threshold for being among the nearest pages. */
  least(): number
  add(page: NearPage): void
  best(): NearPage[]
}

function createNearest(): Nearest {
  let found: NearPage[] = []
  let least = 0
  const cut = () => {
    found = found.sort((a, b) => b.cosine - a.cosine || (a.bookId < b.bookId ? -1 : 1)).slice(0, maxNear)
    if (found.length === maxNear) least = found.at(-1)?.cosine ?? 0
  }
  return {
    least: () => least,
    add(page) {
      found.push(page)
      if (found.length >= 2 * maxNear) cut()
    },
    best() {
      cut()
      return found
    },
  }
}
