import { isBookKept } from '../../books/bin.ts'
import { newId } from '../../core/ids.ts'
import type { IndexedBook } from '../../search/index/book-index-store.ts'
import type { Segment } from '../../search/index/library-index-store.ts'
import { analyzerVersion, partIds } from '../../search/index/index-book.ts'
import type { Book } from '../../books/book.ts'
import { bookGroups, groupsOf, idsOf } from './groups.ts'
import type { Check, DoctorContext, Findings } from './check.ts'

export const searchIndex: Check = {
  name: 'search',
  invariant: 'the search index has the current version of every book, or the book is marked for indexing',
  async run({ services }) {
    const findings: Findings = []
    const counts: ListedCounts = new Map()
    for await (const group of bookGroups(services)) {
      const due = group.filter(({ version, indexDue }) => version > 0 && indexDue === '')
      const entries = await findEntries({ services }, due)
      await countListings({ services }, due, counts)
      for (const book of due) {
        const listed = counts.get(book.ownerId)?.get(book.id) ?? 0
        const problem = indexProblem(book, entries.get(book.id), listed)
        // A worker indexes a marked book within a minute.
        const repair = () => services.books.markIndexDue(book.ownerId, book.id)
        if (problem) findings.push({ problem: `book ${book.id}: ${problem}`, repair })
      }
    }
    return findings
  },
}

/** Number of index entries of each book, by owner of the library. */
type ListedCounts = Map<string, Map<string, number>>

/** The index entries of the books that belong to their owners, by book. */
async function findEntries(
  { services }: Pick<DoctorContext, 'services'>,
  books: readonly Book[],
): Promise<Map<string, IndexedBook>> {
  const owners = new Map(books.map(({ id, ownerId }) => [id, ownerId]))
  const entries = books.length === 0 ? [] : await services.search.books.findAny(idsOf(books))
  return new Map(entries.filter(({ id, ownerId }) => owners.get(id) === ownerId).map((entry) => [entry.id, entry]))
}

function indexProblem(
  { version, pageCount }: Book,
  indexed: IndexedBook | undefined,
  entryCount: number,
): string | null {
  if (!indexed) return 'not indexed'
  if (indexed.analysis !== analyzerVersion) return null
  if (indexed.version !== version) return `version ${indexed.version} is indexed, ${version} is current`
  const pages = indexed.layout.reduce((sum, [, , count]) => sum + count, 0)
  if (pages !== pageCount) return `${pages} of ${pageCount} pages are indexed`
  return entryCount === 1 ? null : `listed ${entryCount} times in its library's index`
}

/** Adds the counts of books' owners that are missing in `counts`. */
async function countListings(
  { services }: Pick<DoctorContext, 'services'>,
  books: readonly Book[],
  counts: ListedCounts,
): Promise<void> {
  const { libraries } = services.search
  const owners = [...new Set(books.map(({ ownerId }) => ownerId))].filter((ownerId) => !counts.has(ownerId))
  const found = await libraries.findAll(owners)
  for (const ownerId of owners)
    counts.set(ownerId, await countEntries({ services }, ownerId, found.get(ownerId)?.segments ?? []))
}

async function countEntries(
  { services }: Pick<DoctorContext, 'services'>,
  ownerId: string,
  segments: readonly Segment[],
): Promise<Map<string, number>> {
  const { libraries } = services.search
  const counts = new Map<string, number>()
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
    // Books may be indexed during the check, so only parts that are stray twice are reported.
    const second = await strayParts(context)
    return [...second]
      .filter(([name]) => first.has(name))
      .map(([name, { rows, part, of }]) => ({
        problem: `${rows} rows of ${name} belong to no book`,
        repair: () => scheduleRemoval(context, part, of),
      }))
  },
}

const indexedCollections = [
  ['search_books', 1, 'book'],
  ['search_pages', 2, 'book'],
  ['search_words', 2, 'library'],
  ['search_segments', 2, 'library'],
] as const

interface StrayPart {
  rows: number
  /** `book`, `book:unit` or `owner:segment`. */
  part: string
  of: 'book' | 'library'
}

/** Every part that is neither in use nor marked for removal, by collection and part. */
async function strayParts({ db, services }: DoctorContext): Promise<Map<string, StrayPart>> {
  const known = await knownParts({ services })
  const stray = new Map<string, StrayPart>()
  for (const [collection, parts, of] of indexedCollections) {
    for await (const { _id } of db.collection<{ _id: string }>(collection).find({}, { projection: { _id: 1 } })) {
      const part = _id.split(':').slice(0, parts).join(':')
      if (known.has(part)) continue
      const name = `${collection} ${part}`
      stray.set(name, { rows: (stray.get(name)?.rows ?? 0) + 1, part, of })
    }
  }
  return stray
}

/** A process that is indexing while its part is found to be stray uses the part within this time, ms. */
const removalDelayMs = 10 * 60 * 1000

/**
 * Marks a stray part for removal. The sweep removes it unless it is in use by then. Leaves a part of a book in the bin
 * as it is: an erasure removes it.
 */
async function scheduleRemoval(
  { services }: Pick<DoctorContext, 'services'>,
  part: string,
  of: StrayPart['of'],
): Promise<void> {
  const { search, books, bin, now } = services
  const [first = '', ...rest] = part.split(':')
  const work = { id: newId(), units: [], segments: [], dueAt: new Date(now().getTime() + removalDelayMs) }
  if (of === 'library') return search.work.add({ ...work, ownerId: first, bookId: null, segments: rest })
  const owned = (await books.byIds([first]))[0] ?? (await search.books.findAny([first]))[0]
  if (!owned && (await isBookKept({ books, bin }, { id: first }))) return
  // A book that is not kept cannot come back, so its owner does not matter.
  await search.work.add({ ...work, ownerId: owned?.ownerId ?? '', bookId: first, units: rest })
}

/** Books, `book:unit` and `owner:segment` that are in use or marked for removal. */
async function knownParts({ services }: Pick<DoctorContext, 'services'>): Promise<Set<string>> {
  const { search, books } = services
  const known = new Set<string>()
  const owners = new Set<string>()
  for await (const group of bookGroups({ books })) {
    for (const { id, ownerId } of group) {
      known.add(id)
      owners.add(ownerId)
    }
    for (const [id, indexed] of await findEntries({ services }, group))
      for (const part of partIds(indexed)) known.add(`${id}:${part}`)
  }
  for await (const ownerIds of groupsOf(owners)) {
    for (const [ownerId, { segments }] of await search.libraries.findAll(ownerIds))
      for (const { id } of segments) known.add(`${ownerId}:${id}`)
  }
  for await (const { ownerId, bookId, units, segments } of search.work.all()) {
    if (bookId !== null) known.add(bookId)
    for (const unit of units) known.add(`${bookId}:${unit}`)
    for (const segment of segments) known.add(`${ownerId}:${segment}`)
  }
  return known
}
