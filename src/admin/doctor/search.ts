import { analyzerVersion, partIds } from '../../search/index-book.ts'
import type { Book } from '../../books/book.ts'
import type { Check, DoctorContext, Findings } from './check.ts'

export const searchIndex: Check = {
  name: 'search',
  invariant: 'the search index has the current version of every book, or the book is marked for indexing',
  async run({ services }) {
    const findings: Findings = []
    const countsByOwner = new Map<string, Map<string, number>>()
    for await (const book of services.books.all()) {
      if (book.version < 1 || book.indexDue !== '') continue
      const problem = await indexProblem({ services }, book, countsByOwner)
      if (problem) findings.push(`book ${book.id}: ${problem}`)
    }
    return findings
  },
}

type ListedCounts = Map<string, Map<string, number>>

async function indexProblem(
  { services }: Pick<DoctorContext, 'services'>,
  book: Book,
  countsByOwner: ListedCounts,
): Promise<string | null> {
  const { id, ownerId, version } = book
  const [indexed] = await services.search.books.find(ownerId, [id])
  if (!indexed) return 'not indexed'
  if (indexed.analysis !== analyzerVersion) return null
  if (indexed.version !== version) return `version ${indexed.version} is indexed, ${version} is current`
  const pages = indexed.layout.reduce((sum, [, , count]) => sum + count, 0)
  if (pages !== book.pageCount) return `${pages} of ${book.pageCount} pages are indexed`
  const listingCounts = countsByOwner.get(ownerId) ?? (await countListings({ services }, ownerId))
  countsByOwner.set(ownerId, listingCounts)
  const entryCount = listingCounts.get(id) ?? 0
  return entryCount === 1 ? null : `listed ${entryCount} times in its library's index`
}

/** Number of entries of each book in the index of its library. */
async function countListings(
  { services }: Pick<DoctorContext, 'services'>,
  ownerId: string,
): Promise<Map<string, number>> {
  const { libraries } = services.search
  const counts = new Map<string, number>()
  const segments = (await libraries.find(ownerId))?.segments ?? []
  const merged = segments.filter(({ bookId }) => bookId === null).map(({ id }) => id)
  const heads = await libraries.readHeaders(ownerId, merged)
  for (const { id, bookId, dead } of segments) {
    const ids = bookId === null ? (heads.get(id)?.ids ?? []) : [bookId]
    for (const [position, each] of ids.entries())
      if (!dead.includes(position)) counts.set(each, (counts.get(each) ?? 0) + 1)
  }
  return counts
}

export const strayIndexParts: Check = {
  name: 'search-parts',
  invariant: 'every part of the search index belongs to a book or is marked for removal',
  async run(context) {
    const first = await strayParts(context)
    if (first.size === 0) return []
    // Books may be indexed during the check: only parts that are stray twice are reported.
    const second = await strayParts(context)
    return [...second]
      .filter(([part]) => first.has(part))
      .map(([part, rows]) => `${rows} rows of ${part} belong to no book`)
  },
}

const indexedCollections = [
  ['search_books', 1],
  ['search_pages', 2],
  ['search_words', 2],
  ['search_segments', 2],
] as const

/** Number of rows of every part that is neither in use nor marked for removal. */
async function strayParts({ db, services }: DoctorContext): Promise<Map<string, number>> {
  const known = await knownParts({ services })
  const stray = new Map<string, number>()
  for (const [collection, parts] of indexedCollections) {
    for await (const { _id } of db.collection<{ _id: string }>(collection).find({}, { projection: { _id: 1 } })) {
      const part = _id.split(':').slice(0, parts).join(':')
      if (known.has(part)) continue
      const name = `${collection} ${part}`
      stray.set(name, (stray.get(name) ?? 0) + 1)
    }
  }
  return stray
}

/** Books, `book:unit` and `owner:segment` that are in use or marked for removal. */
async function knownParts({ services }: Pick<DoctorContext, 'services'>): Promise<Set<string>> {
  const { search, books } = services
  const known = new Set<string>()
  const owners = new Set<string>()
  for await (const { id, ownerId } of books.all()) {
    known.add(id)
    owners.add(ownerId)
    const [indexed] = await search.books.find(ownerId, [id])
    for (const part of indexed ? partIds(indexed) : []) known.add(`${id}:${part}`)
  }
  for (const ownerId of owners) {
    for (const { id } of (await search.libraries.find(ownerId))?.segments ?? []) known.add(`${ownerId}:${id}`)
  }
  for await (const { ownerId, bookId, units, segments } of search.work.all()) {
    if (bookId !== null) known.add(bookId)
    for (const unit of units) known.add(`${bookId}:${unit}`)
    for (const segment of segments) known.add(`${ownerId}:${segment}`)
  }
  return known
}
