import type { Collection, Db, Filter, Sort } from 'mongodb'
import type { SourceType } from '../books/file-formats.ts'
import type { FileFormat } from '../books/file-formats.ts'
import { isDuplicateKey } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { cachedRead, changeCounterOf } from '../db/cached-reads.ts'
import type { Category } from './categories.ts'
import { createListingCountCache, type ListingCountCache } from './listing-count-store.ts'

export interface Tag {
  name: string
  slug: string
}

/**
 * The fields of a listing that are copied or computed from its book and its subscriptions, so that browsing reads only
 * listings.
 */
export interface DerivedFields {
  subscriberCount: number
  item: {
    title: string
    description: string | null
    author: string | null
    sourceType: SourceType
    fileFormat?: FileFormat
    pageCount: number
  }
  proOnly: boolean
  /** From `titleSortKey`. */
  titleKey: string
  /** From `facet` in derive-listing.ts; empty for a withdrawn listing. */
  facets: string[]
  /** From `searchWords`; empty for a withdrawn listing. */
  words: string[]
}

export const listingSorts = ['newest', 'popular', 'az'] as const

/** A query of the marketplace. */
export interface ListingQuery {
  /** Facets that a listing must have, rarest first. */
  facets: readonly string[]
  /** Prefixes, each of which must begin one of the listing's words. */
  prefixes: readonly string[]
  /** Matches only listings published after this time. */
  since: Date | null
  sort: (typeof listingSorts)[number]
  /** One-based. */
  page: number
  limit: number
}

/** A listing without its search keys. */
export type BrowsedListing = Omit<Listing, 'facets' | 'words'>

/** A book on the marketplace. A book has at most one listing, however often it is withdrawn and published again. */
export interface Listing extends DerivedFields {
  id: string
  itemId: string
  ownerId: string
  slug: string
  status: 'LIVE' | 'WITHDRAWN'
  category: Category | null
  tags: Tag[]
  /** When it was last published. */
  createdAt: Date
  /** The version of the book that was current then; absent in rows from before this was recorded. */
  sinceVersion?: number
  updatedAt: Date
  withdrawnAt: Date | null
  /** When all subscribers had been notified of the withdrawal. */
  announcedAt: Date | null
  /**
   * Empty when the derived fields are up to date; otherwise the time-ordered id of the last change that made them
   * stale.
   */
  due: string
}

type EditableFields = Pick<
  Listing,
  'status' | 'category' | 'tags' | 'createdAt' | 'sinceVersion' | 'withdrawnAt' | 'announcedAt' | 'updatedAt'
>

export interface ListingChange {
  set: Partial<EditableFields>
  /** Applies the change only if the listing has this status. */
  status?: Listing['status']
}

export interface ListingStore {
  /** Inserts a listing, or returns which of its unique fields is taken. */
  add(listing: Listing): Promise<'added' | 'item taken' | 'slug taken'>
  /** A listing by id, whoever owns it and whatever its status. */
  byId(id: string): Promise<Listing | null>
  /** One of the account's listings, by id. */
  findOwned(ownerId: string, id: string): Promise<Listing | null>
  /** The listing of one of the account's books. */
  findByBook(ownerId: string, itemId: string): Promise<Listing | null>
  /** The listing of a book that is on the marketplace, whoever owns it. */
  findLive(itemId: string): Promise<Listing | null>
  /** The ids of those of the account's books among `itemIds` that are on the marketplace. */
  listLiveItemIds(ownerId: string, itemIds: readonly string[]): Promise<string[]>
  /** The listings among `ids`, whoever owns them and whatever their status, in no order. */
  byIds(ids: readonly string[]): Promise<Listing[]>
  /** The account's listings, newest first. */
  list(ownerId: string): Promise<Listing[]>
  /** The slugs in use that start with `base`. */
  slugsWithPrefix(base: string): Promise<string[]>
  /** Changes a listing and marks it stale; false if it does not exist or has another status. */
  change(ownerId: string, id: string, change: ListingChange): Promise<boolean>
  /** Marks the listing of a book stale and returns it; null if the book has none. */
  markStale(ownerId: string, itemId: string): Promise<Listing | null>
  /** Stores derived fields and clears `due`. Does nothing if a later change has replaced `due` meanwhile. */
  saveDerived(
    ownerId: string,
    id: string,
    derived: { due: string; set: DerivedFields & Pick<Listing, 'announcedAt'> },
  ): Promise<void>
  /** Listings that have been stale since before `before`, because a process died before it refreshed them. */
  listStale(before: Date, limit: number): Promise<Listing[]>
  /** Removes the listing of a deleted book; with `due`, only if it has not been changed since. Idempotent. */
  remove(ownerId: string, id: string, due?: string): Promise<void>
  /** One page of the live listings that match a query, sorted, and the total number of matches. */
  browse(criteria: ListingQuery): Promise<{ listings: readonly BrowsedListing[]; total: number }>
  /** Every listing, for consistency checks. */
  all(): AsyncIterable<Listing>
}

export interface ListingStores {
  listings: ListingStore
}

type Row = Omit<Listing, 'id'> & { _id: string }

/** Listings on MongoDB: collection `listings`. */
export function createListingStore(db: Db): ListingStore {
  const listings = db.collection<Row>('listings')
  const counts = createListingCountCache(db)
  return {
    ...readMethods(listings),
    ...changeMethods(listings),
    ...derivedMethods(db, listings, counts),
    browse: createBrowser(db, listings, counts),
  }
}

function readMethods(listings: Collection<Row>) {
  const findOne = async (filter: Filter<Row>) => toListing(await listings.findOne(filter))
  return {
    byId: (id: string) => findOne({ _id: id }),
    findOwned: (ownerId: string, id: string) => findOne({ _id: id, ownerId }),
    findByBook: (ownerId: string, itemId: string) => findOne({ itemId, ownerId }),
    findLive: (itemId: string) => findOne({ itemId, status: 'LIVE' }),
    async listLiveItemIds(ownerId: string, itemIds: readonly string[]) {
      const filter = { itemId: { $in: [...itemIds] }, ownerId, status: 'LIVE' as const }
      return (await listings.find(filter, { projection: { itemId: 1 } }).toArray()).map(({ itemId }) => itemId)
    },
    async byIds(ids: readonly string[]) {
      return (await listings.find({ _id: { $in: [...ids] } }).toArray()).map((row) => toListing(row))
    },
    async list(ownerId: string) {
      return (await listings.find({ ownerId }).sort({ createdAt: -1, _id: -1 }).toArray()).map((row) => toListing(row))
    },
    async slugsWithPrefix(base: string) {
      const rows = await listings
        .find({ slug: { $gte: base, $lt: `${base}\u{10ffff}` } }, { projection: { slug: 1 } })
        .toArray()
      return rows.map(({ slug }) => slug)
    },
    async listStale(before: Date, limit: number) {
      // Ids start with their time in base 36.
      const due = { $gt: '', $lt: newId(before) }
      return (await listings.find({ due }).limit(limit).toArray()).map((row) => toListing(row))
    },
    async *all() {
      for await (const row of listings.find()) yield toListing(row)
    },
  }
}

function changeMethods(listings: Collection<Row>) {
  return {
    async add({ id, ...fields }: Listing) {
      try {
        await listings.insertOne({ _id: id, ...fields })
        return 'added' as const
      } catch (error) {
        if (!isDuplicateKey(error)) throw error
        const taken = await listings.findOne({ itemId: fields.itemId })
        return taken ? ('item taken' as const) : ('slug taken' as const)
      }
    },
    async change(ownerId: string, id: string, { set, status }: ListingChange) {
      const filter = { _id: id, ownerId, ...(status === undefined ? {} : { status }) }
      return (await listings.updateOne(filter, { $set: { ...set, due: newId() } })).matchedCount === 1
    },
  }
}

/** The methods that change which listings match a query. */
function derivedMethods(db: Db, listings: Collection<Row>, counts: ListingCountCache) {
  const countChanges = changeCounterOf(db, 'listings')
  const findAny = cachedRead(db, ['listings'], async (ownerId) => ({
    listing: await listings.findOne({ ownerId }, { projection: { _id: 1 } }),
  }))
  return {
    async markStale(ownerId: string, itemId: string) {
      // Nearly all owners have no listing. Where this is cached, their books need no command.
      if (countChanges() !== null && (await findAny(ownerId)).listing === null) return null
      const update = { $set: { due: newId() } }
      return toListing(await listings.findOneAndUpdate({ itemId, ownerId }, update, { returnDocument: 'after' }))
    },
    async saveDerived(
      ownerId: string,
      id: string,
      { due, set }: { due: string; set: DerivedFields & Pick<Listing, 'announcedAt'> },
    ) {
      const update = { $set: { ...set, due: '' } }
      const options = { returnDocument: 'before', projection: { facets: 1, words: 1 } } as const
      const before = await listings.findOneAndUpdate({ _id: id, ownerId, due }, update, options)
      if (before && !hasSameSearchKeys(before, set)) await counts.invalidate()
    },
    async remove(ownerId: string, id: string, due?: string) {
      const filter = { _id: id, ownerId, ...(due === undefined ? {} : { due }) }
      if ((await listings.deleteOne(filter)).deletedCount === 1) await counts.invalidate()
    },
  }
}

function hasSameSearchKeys(a: Pick<Row, 'facets' | 'words'>, b: Pick<Row, 'facets' | 'words'>): boolean {
  return a.facets.join(' ') === b.facets.join(' ') && a.words.join(' ') === b.words.join(' ')
}

/** Each order ends in a unique field, so that no listing appears on two pages. */
const sortOrders: Record<ListingQuery['sort'], Sort> = {
  newest: { createdAt: -1, _id: -1 },
  popular: { subscriberCount: -1, createdAt: -1, _id: -1 },
  az: { titleKey: 1, _id: 1 },
}

/** Caches pages until a listing changes, and reads none after the last: most of what a page costs is what it skips. */
function createBrowser(db: Db, listings: Collection<Row>, counts: ListingCountCache): ListingStore['browse'] {
  const readPage = cachedRead(db, ['listings'], async (key) => {
    const { sort, page, limit, since, ...criteria } = JSON.parse(key) as Omit<ListingQuery, 'since'> & {
      since: string | null
    }
    const filter = buildFilter({ ...criteria, since: since === null ? null : new Date(since) })
    const cursor = listings.find(filter, { projection: { facets: 0, words: 0 } }).sort(sortOrders[sort])
    const rows = await cursor
      .skip((page - 1) * limit)
      .limit(limit)
      .toArray()
    return rows.map(({ _id, ...fields }): BrowsedListing => ({ id: _id, ...fields }))
  })
  return async (query) => {
    const { sort: _, page, limit, ...criteria } = query
    const total = await counts.get(JSON.stringify(criteria), () => listings.countDocuments(buildFilter(criteria)))
    return { listings: (page - 1) * limit < total ? await readPage(JSON.stringify(query)) : [], total }
  }
}

function buildFilter({ facets, prefixes, since }: Pick<ListingQuery, 'facets' | 'prefixes' | 'since'>): Filter<Row> {
  const conditions: Filter<Row>[] = [
    ...facets.map((facet) => ({ facets: facet })),
    ...prefixes.map((text) => ({ words: { $elemMatch: { $gte: text, $lt: `${text}\u{10ffff}` } } })),
    ...(since === null ? [] : [{ createdAt: { $gt: since } }]),
  ]
  return { $and: conditions }
}

function toListing(row: Row): Listing
function toListing(row: Row | null): Listing | null
function toListing(row: Row | null): Listing | null {
  if (!row) return null
  const { _id, ...fields } = row
  return { id: _id, ...fields }
}
