import { analysis, partsOf } from '../../search/index-book.ts'
import type { Book } from '../../books/book.ts'
import type { Check, Clinic, Findings } from './check.ts'

export const searchIndex: Check = {
  name: 'search',
  promise: 'search knows the current version of every book, or the book is marked to be indexed',
  async run({ services }) {
    const findings: Findings = []
    const listed = new Map<string, Map<string, number>>()
    for await (const book of services.books.all()) {
      if (book.version < 1 || book.indexDue !== '') continue
      const problem = await indexProblem({ services }, book, listed)
      if (problem) findings.push(`book ${book.id}: ${problem}`)
    }
    return findings
  },
}

type Listed = Map<string, Map<string, number>>

async function indexProblem(
  { services }: Pick<Clinic, 'services'>,
  book: Book,
  listed: Listed,
): Promise<string | null> {
  const { id, ownerId, version } = book
  const [indexed] = await services.search.books.find(ownerId, [id])
  if (!indexed) return 'not indexed'
  if (indexed.analysis !== analysis) return null
  if (indexed.version !== version) return `version ${indexed.version} is indexed, ${version} is current`
  const pages = indexed.layout.reduce((sum, [, , count]) => sum + count, 0)
  if (pages !== book.pageCount) return `${pages} of ${book.pageCount} pages are indexed`
  const library = listed.get(ownerId) ?? (await listBooks({ services }, ownerId))
  listed.set(ownerId, library)
  const times = library.get(id) ?? 0
  return times === 1 ? null : `listed ${times} times in its library's index`
}

/** How often each book is listed in the index of its library. */
async function listBooks({ services }: Pick<Clinic, 'services'>, ownerId: string): Promise<Map<string, number>> {
  const { libraries } = services.search
  const times = new Map<string, number>()
  const segments = (await libraries.find(ownerId))?.segments ?? []
  const merged = segments.filter(({ bookId }) => bookId === null).map(({ id }) => id)
  const heads = await libraries.heads(ownerId, merged)
  for (const { id, bookId, dead } of segments) {
    const ids = bookId === null ? (heads.get(id)?.ids ?? []) : [bookId]
    for (const [place, each] of ids.entries()) if (!dead.includes(place)) times.set(each, (times.get(each) ?? 0) + 1)
  }
  return times
}

export const strayIndex: Check = {
  name: 'search-parts',
  promise: 'everything in the search index belongs to a book, or is about to be removed',
  async run(clinic) {
    const first = await strayParts(clinic)
    if (first.size === 0) return []
    // Books are indexed while this looks: what still belongs to nothing at a second look is stray.
    const second = await strayParts(clinic)
    return [...second]
      .filter(([part]) => first.has(part))
      .map(([part, rows]) => `${rows} rows of ${part} belong to nothing`)
  },
}

const indexedCollections = [
  ['search_books', 1],
  ['search_pages', 2],
  ['search_words', 2],
  ['search_segments', 2],
] as const

/** How many rows there are of every part that is neither in use nor noted for removal. */
async function strayParts({ db, services }: Clinic): Promise<Map<string, number>> {
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

/** Books, `book:unit` and `owner:segment` that are in use or noted for removal. */
async function knownParts({ services }: Pick<Clinic, 'services'>): Promise<Set<string>> {
  const { search, books } = services
  const known = new Set<string>()
  const owners = new Set<string>()
  for await (const { id, ownerId } of books.all()) {
    known.add(id)
    owners.add(ownerId)
    const [indexed] = await search.books.find(ownerId, [id])
    for (const part of indexed ? partsOf(indexed) : []) known.add(`${id}:${part}`)
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
