import { loadAccountNames } from '../accounts/load-account-names.ts'
import type { AccessibleBook, BookAccessStores } from '../books/access.ts'
import type { Call } from '../core/context.ts'
import type { GapStores } from '../gaps/store.ts'
import type { ManuscriptStores } from '../manuscripts/store.ts'
import type { ListingStores } from '../marketplace/listing-store.ts'
import type { ShareStores } from '../teams/share-store.ts'

/** Data that a library shows with a book in addition to its own fields. */
export interface BookSurroundings {
  /** Whether the caller has published it on the marketplace. */
  published: boolean
  /** Number of teams that the caller shares it with. */
  sharedWith: number
  /** Number of topics that readers of the caller's book asked for, and that nobody has answered. */
  requests: number
  /** The owner's name; null for the caller's own and built-in books. */
  from: string | null
  /** For a manuscript: the name of the assistant that maintains it; null if that was not recorded. */
  manuscript: { keeper: string | null } | null
}

/** Loads the surroundings of books: at most five queries for any number of books. */
export async function describeBooks(
  ctx: Call & BookAccessStores & ListingStores & ShareStores & ManuscriptStores & GapStores,
  books: readonly AccessibleBook[],
): Promise<(id: string) => BookSurroundings> {
  const own = books.filter(({ access }) => access.kind === 'own').map(({ id }) => id)
  const granted = books.filter(({ access }) => access.kind === 'granted')
  const [live, shares, requests, manuscripts, nameOf] = await Promise.all([
    own.length > 0 ? ctx.listings.listLiveItemIds(ctx.actor.id, own) : [],
    own.length > 0 ? ctx.shares.listByBooks(own) : [],
    own.length > 0 ? ctx.gaps.openTopics(ctx.actor.id, own) : [],
    own.length > 0 ? ctx.manuscripts.listUnarchivedByBooks(ctx.actor.id, own) : [],
    loadAccountNames(
      ctx,
      granted.map(({ ownerId }) => ownerId),
    ),
  ])
  const published = new Set(live)
  const sharesOf = Map.groupBy(shares, ({ itemId }) => itemId)
  const requestsOf = Map.groupBy(requests, ({ itemId }) => itemId)
  const ownerOf = new Map(granted.map(({ id, ownerId }) => [id, ownerId]))
  const keeperOf = new Map(manuscripts.map(({ itemId, client }) => [itemId, { keeper: client ?? null }]))
  return (id) => {
    const owner = ownerOf.get(id)
    return {
      published: published.has(id),
      sharedWith: sharesOf.get(id)?.length ?? 0,
      requests: requestsOf.get(id)?.length ?? 0,
      from: owner === undefined ? null : nameOf(owner),
      manuscript: keeperOf.get(id) ?? null,
    }
  }
}
