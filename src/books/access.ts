import { systemOwner, type Book } from './book.ts'
import type { BookStores } from './store.ts'
import type { Call, Clock } from '../core/context.ts'

/** Who is granted books of others: the marketplace and the teams tell. */
export interface GrantStores {
  subscriptions: {
    /** The account's subscriptions to these books; null: all of them. */
    listByAccount(
      accountId: string,
      itemIds: readonly string[] | null,
    ): Promise<readonly { itemId: string; createdAt: Date }[]>
    /** The account's `limit` oldest subscriptions. */
    oldest(accountId: string, limit: number): Promise<readonly { itemId: string; createdAt: Date }[]>
  }
  shares: {
    /** The shares by which the account's teams give it these books; null: any book. */
    visibleTo(
      accountId: string,
      itemIds: readonly string[] | null,
    ): Promise<readonly { itemId: string; ownerId: string; accessLevel: 'READ' | 'WRITE' }[]>
  }
}

/** What it takes to find out which books a caller may read. */
export type BookAccessStores = BookStores & GrantStores

/** How a caller came to a book, and what that allows. */
export interface Access {
  /** `granted`: somebody else's book, by a subscription, a team or both. */
  kind: 'own' | 'system' | 'granted'
  /** Added from the marketplace. */
  subscribedAt: Date | null
  /** The best of what the caller's teams share it with; such a book is read in full and takes no slot. */
  teamAccess: 'READ' | 'WRITE' | null
  /** How many pages may be read; null: all of them. */
  previewPages: number | null
}

/** A book with the caller's access to it. */
export interface AccessibleBook extends Book {
  access: Access
}

/** The books among `ids` that the caller may read or preview, in no order. Own and built-in books cost one query. */
export async function findAccessibleBooks(
  ctx: Call & BookAccessStores,
  ids: readonly string[],
): Promise<AccessibleBook[]> {
  const found = await ctx.books.byIds(ids)
  const foreignIds = found.filter((book) => accessKind(ctx, book) === 'granted').map(({ id }) => id)
  if (foreignIds.length === 0) return found.map((book) => withOwnAccess(ctx, book))
  const grants = await loadGrants(ctx, foreignIds)
  return found.flatMap((book) => withAccess(ctx, book, grants))
}

/** Every book of the caller's library: own, built-in, subscribed and shared by a team; the newest first. */
export async function listLibraryBooks(ctx: Call & BookAccessStores): Promise<AccessibleBook[]> {
  const [own, granted] = await Promise.all([ctx.books.listLibrary(ctx.actor.id), listGrantedBooks(ctx)])
  return [...own.map((book) => withOwnAccess(ctx, book)), ...granted].sort(compareNewestFirst)
}

/** A book of the caller's own, or a built-in one, with the access to it: the same object for the same book. */
export function withOwnAccess(ctx: Call, book: Book): AccessibleBook {
  const kind = accessKind(ctx, book)
  const known = accessCache.get(book)
  if (known?.access.kind === kind) return known
  const accessible = Object.freeze({ ...book, access: fullAccess(kind) })
  accessCache.set(book, accessible)
  return accessible
}

const accessCache = new WeakMap<Book, AccessibleBook>()

/** The books of others in the caller's library: subscribed and shared by a team, in no order. */
export async function listGrantedBooks(ctx: Call & BookAccessStores): Promise<AccessibleBook[]> {
  const grants = await loadGrants(ctx, null)
  const ids = new Set([...grants.subscriptions.keys(), ...grants.shares.keys()])
  const books = ids.size > 0 ? await ctx.books.byIds([...ids]) : []
  return books.filter((book) => accessKind(ctx, book) === 'granted').flatMap((book) => withAccess(ctx, book, grants))
}

/** True when the caller may change the text of a book and what is known of it. */
export function canWrite({ access }: AccessibleBook): boolean {
  return access.kind === 'own' || access.teamAccess === 'WRITE'
}

/** Sorts books by the time at which they came into the library. */
export function compareNewestFirst(a: AccessibleBook, b: AccessibleBook): number {
  return addedAt(b).getTime() - addedAt(a).getTime() || (a.id < b.id ? 1 : -1)
}

/** When a book came into the caller's library. */
export function addedAt({ access, createdAt }: AccessibleBook): Date {
  return access.subscribedAt ?? createdAt
}

interface Grants {
  /** When each book was added from the marketplace. */
  subscriptions: ReadonlyMap<string, Date>
  shares: ReadonlyMap<string, 'READ' | 'WRITE'>
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
  return { subscriptions: new Map(subscribed.map(({ itemId, createdAt }) => [itemId, createdAt])), shares }
}

function withAccess(ctx: Call, book: Book, { subscriptions, shares }: Grants): AccessibleBook[] {
  const kind = accessKind(ctx, book)
  if (kind !== 'granted') return [withOwnAccess(ctx, book)]
  const subscribedAt = subscriptions.get(book.id) ?? null
  const teamAccess = shares.get(book.id) ?? null
  if (!subscribedAt && !teamAccess) return []
  const previewPages = teamAccess ? null : previewLimit(ctx, book)
  return [{ ...book, access: { kind, subscribedAt, teamAccess, previewPages } }]
}

function accessKind({ actor }: Call, { ownerId }: Book): Access['kind'] {
  if (ownerId === actor.id) return 'own'
  return ownerId === systemOwner ? 'system' : 'granted'
}

/** How much a subscriber reads of a Pro book: all of it with the right plan, while it is featured, and in its launch window. */
function previewLimit(ctx: Call, book: Book): number | null {
  if (!book.proOnly || isFeatured(ctx, book) || inLaunchWindow(ctx, book)) return null
  return ctx.actor.plan.previewPages
}

/** True while a book is the one of the week. */
export function isFeatured({ now }: Clock, { featuredUntil }: Book): boolean {
  return featuredUntil !== null && featuredUntil > now()
}

/** True while a Pro book may be read in full by everybody who has added it. */
export function inLaunchWindow({ now }: Clock, { proOnly, freeUntil }: Book): boolean {
  return proOnly && freeUntil !== null && freeUntil > now()
}

/** The access to a book of one's own. */
export const ownAccess = fullAccess('own')

function fullAccess(kind: Access['kind']): Access {
  return { kind, subscribedAt: null, teamAccess: null, previewPages: null }
}
