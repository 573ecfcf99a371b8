import { loadAccountNames, type AccountNameStores } from '../accounts/load-account-names.ts'
import { systemOwner, type Book } from './book.ts'
import { pageCountOf } from './unfinished.ts'
import type { BookStores } from './store.ts'
import type { Call, Clock } from '../core/context.ts'

/** Access to books of other accounts: `marketplace/` implements `subscriptions`, `teams/` implements `shares`. */
export interface GrantStores {
  subscriptions: {
    /** The account's subscriptions to these books; null: to all books. */
    listByAccount(
      accountId: string,
      itemIds: readonly string[] | null,
    ): Promise<readonly { itemId: string; createdAt: Date; sinceVersion?: number | undefined }[]>
    /** The account's `limit` oldest subscriptions. */
    oldest(accountId: string, limit: number): Promise<readonly { itemId: string; createdAt: Date }[]>
  }
  shares: {
    /** The shares through which the account's teams give it these books; null: all books. */
    visibleTo(accountId: string, itemIds: readonly string[] | null): Promise<readonly VisibleShare[]>
  }
}

interface VisibleShare {
  itemId: string
  ownerId: string
  accessLevel: 'READ' | 'WRITE'
  sharedAt: Date
  sinceVersion?: number | undefined
}

/** When and how a book became accessible to a reader. */
export interface Reach {
  at: Date
  /** The version that was current at that time; absent in rows from before this was recorded. */
  sinceVersion: number | undefined
}

/** The stores that decide which books a caller may read. */
export type BookAccessStores = BookStores & GrantStores & AccountNameStores

/** The caller's way of access to a book, and what it allows. */
export interface Access {
  /** `granted`: another account's book, through a subscription, a team or both. */
  kind: 'own' | 'system' | 'granted'
  /** When the caller added it from the marketplace; null: not subscribed. */
  subscribedAt: Date | null
  /**
   * The highest access level among the caller's teams; null: not shared. A shared book can be read in full and takes no
   * slot.
   */
  teamAccess: 'READ' | 'WRITE' | null
  /** Number of readable pages; null: all. */
  previewPages: number | null
  /**
   * For a caller who may not write: how the book became accessible, which hides earlier versions; null: all versions
   * are visible.
   */
  reached: readonly Reach[] | null
  /**
   * Over MCP: whose words the book contains, so that models can tell them apart; null: the caller's own, or an
   * administrator's.
   */
  quotedFrom: string | null
}

/** A book with the caller's access to it. For an unfinished book, `pageCount` is the number of readable pages. */
export interface AccessibleBook extends Book {
  access: Access
}

/** The maximum number of ids in a query: other calls wait for it. */
const maxIdsInQuery = 500

/**
 * The books among `ids` that the caller may read or preview, in no order. One query for each 500 ids if all of them are
 * the caller's or built-in.
 */
export async function findAccessibleBooks(
  ctx: Call & BookAccessStores,
  ids: readonly string[],
): Promise<AccessibleBook[]> {
  if (ids.length <= maxIdsInQuery) return findFewAccessibleBooks(ctx, ids)
  const found: AccessibleBook[] = []
  for (let from = 0; from < ids.length; from += maxIdsInQuery) {
    found.push(...(await findFewAccessibleBooks(ctx, ids.slice(from, from + maxIdsInQuery))))
  }
  return found
}

async function findFewAccessibleBooks(ctx: Call & BookAccessStores, ids: readonly string[]): Promise<AccessibleBook[]> {
  const found = await ctx.books.byIds(ids)
  const foreignIds = found.filter((book) => accessKind(ctx, book) === 'granted').map(({ id }) => id)
  if (foreignIds.length === 0) return found.map((book) => withOwnAccess(ctx, book))
  const [grants, quotedFromOf] = await Promise.all([loadGrants(ctx, foreignIds), loadQuoteSources(ctx, found)])
  return found.flatMap((book) => withAccess(ctx, book, { ...grants, quotedFromOf }))
}

/** Every book of the caller's library (owned, built-in, subscribed, shared by a team), newest first. */
export async function listLibraryBooks(ctx: Call & BookAccessStores): Promise<AccessibleBook[]> {
  const [own, granted] = await Promise.all([ctx.books.listLibrary(ctx.actor.id), listGrantedBooks(ctx)])
  return [...own.map((book) => withOwnAccess(ctx, book)), ...granted].sort(compareNewestFirst)
}

/** Adds full access to one of the caller's books or a built-in one. Returns the same object for the same book. */
export function withOwnAccess(ctx: Call, book: Book): AccessibleBook {
  const kind = accessKind(ctx, book)
  const quotedFrom = kind === 'own' && book.teamWritten && ctx.transport === 'mcp' ? teamWriters : null
  const cached = accessCache.get(book)
  if (cached?.access.kind === kind && cached.access.quotedFrom === quotedFrom) return cached
  const accessible = Object.freeze({
    ...book,
    pageCount: pageCountOf(book),
    access: { ...fullAccess(kind), quotedFrom },
  })
  accessCache.set(book, accessible)
  return accessible
}

/** The source name for a book of the caller that a team has written to. */
const teamWriters = 'a team that writes to it'

const accessCache = new WeakMap<Book, AccessibleBook>()

/** Books of other accounts in the caller's library (subscribed or shared by a team), in no order. */
export async function listGrantedBooks(ctx: Call & BookAccessStores): Promise<AccessibleBook[]> {
  const grants = await loadGrants(ctx, null)
  const ids = new Set([...grants.subscriptions.keys(), ...grants.shares.keys()])
  const books = ids.size > 0 ? await ctx.books.byIds([...ids]) : []
  const quotedFromOf = await loadQuoteSources(ctx, books)
  return books
    .filter((book) => accessKind(ctx, book) === 'granted')
    .flatMap((book) => withAccess(ctx, book, { ...grants, quotedFromOf }))
}

/** True if the caller may change the text and metadata of a book. */
export function canWrite({ access }: AccessibleBook): boolean {
  return access.kind === 'own' || access.teamAccess === 'WRITE'
}

/** Compares by the time of entry into the library, newest first; then by id, descending. */
export function compareNewestFirst(a: AccessibleBook, b: AccessibleBook): number {
  return addedAt(b).getTime() - addedAt(a).getTime() || (a.id < b.id ? 1 : -1)
}

/** When a book entered the caller's library. */
export function addedAt({ access, createdAt }: AccessibleBook): Date {
  return access.subscribedAt ?? createdAt
}

/**
 * The `quotedFrom` field of an answer, which marks the title, description and text of a book as the words of others;
 * empty for the caller's own.
 */
export function quotedFromField({ access }: Pick<AccessibleBook, 'access'>): { quotedFrom?: string } {
  return access.quotedFrom === null ? {} : { quotedFrom: access.quotedFrom }
}

type QuoteSource = (book: Book) => string | null

/**
 * Loads the names of the owners of other accounts' books. Only MCP needs them; other transports do not mark quotations.
 */
async function loadQuoteSources(ctx: Call & AccountNameStores, books: readonly Book[]): Promise<QuoteSource> {
  if (ctx.transport !== 'mcp') return () => null
  const nameOf = await loadAccountNames(
    ctx,
    books.map(({ ownerId }) => ownerId),
  )
  return ({ ownerId, teamWritten }) => `${nameOf(ownerId)}${teamWritten ? ' and a team' : ''}`
}

interface Grants {
  /** When each book was added from the marketplace. */
  subscriptions: ReadonlyMap<string, Date>
  shares: ReadonlyMap<string, 'READ' | 'WRITE'>
  reached: ReadonlyMap<string, Reach[]>
}

async function loadGrants(ctx: Call & GrantStores, itemIds: readonly string[] | null): Promise<Grants> {
  const [subscribed, shared] = await Promise.all([
    ctx.subscriptions.listByAccount(ctx.actor.id, itemIds),
    ctx.shares.visibleTo(ctx.actor.id, itemIds),
  ])
  const shares = new Map<string, 'READ' | 'WRITE'>()
  for (const { itemId, accessLevel } of shared) {
    if (shares.get(itemId) !== 'WRITE') shares.set(itemId, accessLevel)
  }
  const ways = [
    ...subscribed.map(({ itemId, createdAt: at, sinceVersion }) => ({ itemId, at, sinceVersion })),
    ...shared.map(({ itemId, sharedAt: at, sinceVersion }) => ({ itemId, at, sinceVersion })),
  ]
  return {
    subscriptions: new Map(subscribed.map(({ itemId, createdAt }) => [itemId, createdAt])),
    shares,
    reached: Map.groupBy(ways, ({ itemId }) => itemId),
  }
}

function withAccess(
  ctx: Call,
  book: Book,
  { subscriptions, shares, ...grants }: Grants & { quotedFromOf: QuoteSource },
): AccessibleBook[] {
  const kind = accessKind(ctx, book)
  if (kind !== 'granted') return [withOwnAccess(ctx, book)]
  const subscribedAt = subscriptions.get(book.id) ?? null
  const teamAccess = shares.get(book.id) ?? null
  if (!subscribedAt && !teamAccess) return []
  const previewPages = teamAccess ? null : previewLimit(ctx, book)
  const reached = teamAccess === 'WRITE' ? null : (grants.reached.get(book.id) ?? [])
  const quotedFrom = grants.quotedFromOf(book)
  const access = { kind, subscribedAt, teamAccess, previewPages, reached, quotedFrom }
  return [{ ...book, pageCount: pageCountOf(book), access }]
}

function accessKind({ actor }: Call, { ownerId }: Book): Access['kind'] {
  if (ownerId === actor.id) return 'own'
  return ownerId === systemOwner ? 'system' : 'granted'
}

/**
 * Number of pages of a Pro book that a subscriber may read; null: all, with the right plan, while it is featured, or in
 * its launch window.
 */
function previewLimit(ctx: Call, book: Book): number | null {
  if (!book.proOnly || isFeatured(ctx, book) || inLaunchWindow(ctx, book)) return null
  return ctx.actor.plan.previewPages
}

/** True while a book is the book of the week. */
export function isFeatured({ now }: Clock, { featuredUntil }: Book): boolean {
  return featuredUntil !== null && featuredUntil > now()
}

/** True while every subscriber may read a Pro book in full. */
export function inLaunchWindow({ now }: Clock, { proOnly, freeUntil }: Book): boolean {
  return proOnly && freeUntil !== null && freeUntil > now()
}

/** Access to one of the caller's books. */
export const ownAccess = fullAccess('own')

function fullAccess(kind: Access['kind']): Access {
  return { kind, subscribedAt: null, teamAccess: null, previewPages: null, reached: null, quotedFrom: null }
}
