import type { ShareStores } from '../teams/share-store.ts'
import { upgradeUrl } from '../accounts/charge-reads.ts'
import type { AccessibleBook, BookAccessStores } from '../books/access.ts'
import { itemNotFound, ownBook } from '../books/find-book.ts'
import { lockedBooks, lockedRefusal } from '../books/book-locks.ts'
import { AppError } from '../core/errors.ts'
import { freeSlug, slugOf } from '../text/slugify.ts'
import { deriveListing } from './derive-listing.ts'
import type { Listing, ListingStores } from './listing-store.ts'
import { refreshListing } from './refresh-listing.ts'
import type { OneListing, PublishListing } from './schema.ts'
import { showListing } from './find-listing.ts'
import { readCategory, tagsOf } from './listing-terms.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { ListingUpdateStores } from './refresh-listing.ts'

/**
 * Puts an own book on the marketplace, or a withdrawn one back on it, under the id and slug that it had. Refuses with
 * CONFLICT a book that is published or not ready, and with PUBLISH_NOT_ALLOWED on a plan without publishing.
 */
export async function publishListing(
  ctx: Call & ListingUpdateStores & ShareStores & PublicAddress,
  input: PublishListing,
): Promise<OneListing> {
  const category = input.category == null ? null : readCategory(input.category)
  const book = await ownBook(ctx, input.itemId, 'Only the owner may publish a book')
  const known = await ctx.listings.ofBook(book.ownerId, book.id)
  // A repeat after a lost answer finds what it made.
  const repeated = known !== null && known.status === 'LIVE' && ctx.idempotencyKey !== null && known.id === ctx.newId()
  if (!repeated) {
    await checkBook(ctx, book, known)
    const { proOnly = false, freeUntil = null } = input
    await ctx.listings.markDue(book.ownerId, book.id)
    // Before it is on the marketplace, so that no Pro book is there without saying so.
    if (!(await ctx.books.change(book.ownerId, book.id, { set: { proOnly, freeUntil } }))) throw itemNotFound()
    await putUp(ctx, { book, known, category, tags: tagsOf(input.tags ?? []) })
  }
  await refreshListing(ctx, book)
  return showListing(ctx, book)
}

async function checkBook(
  ctx: Call & BookAccessStores & PublicAddress,
  book: AccessibleBook,
  known: Listing | null,
): Promise<void> {
  if (known?.status === 'LIVE') throw alreadyPublished(known)
  if (book.status !== 'READY') {
    const message = `Only a book that is READY can be published; this one is ${book.status}. See GET /api/v1/jobs.`
    throw new AppError('CONFLICT', message)
  }
  const { canPublish, tier, tierDisplay } = ctx.actor.plan
  if (!canPublish) {
    const url = upgradeUrl(ctx)
    const message = `The ${tierDisplay} plan does not publish to the marketplace. Upgrade at ${url}`
    throw new AppError('PUBLISH_NOT_ALLOWED', message, { details: { tier, upgradeUrl: url } })
  }
  const isLocked = await lockedBooks(ctx)
  if (isLocked(book)) throw lockedRefusal(ctx, [book])
}

interface Offer extends Pick<Listing, 'category' | 'tags'> {
  book: AccessibleBook
  known: Listing | null
}

async function putUp(ctx: Call & ListingStores, { book, known, ...terms }: Offer): Promise<void> {
  const at = ctx.now()
  const fresh = {
    ...terms,
    status: 'LIVE' as const,
    createdAt: at,
    updatedAt: at,
    withdrawnAt: null,
    announcedAt: null,
  }
  if (known) {
    if (await ctx.listings.change(book.ownerId, known.id, { set: fresh, status: 'WITHDRAWN' })) return
    throw alreadyPublished(known)
  }
  const id = ctx.newId()
  for (;;) {
    const slug = await newSlug(ctx, book.title)
    const bare = { id, itemId: book.id, ownerId: book.ownerId, slug, due: id, ...fresh }
    const outcome = await ctx.listings.add({ ...bare, ...deriveListing({ ...bare, status: 'WITHDRAWN' }, book, 0) })
    if (outcome === 'added') return
    const other = await ctx.listings.ofBook(book.ownerId, book.id)
    if (other) throw alreadyPublished(other)
  }
}

async function newSlug({ listings }: ListingStores, title: string): Promise<string> {
  // A title without letters and digits has no slug of its own.
  const name = slugOf(title) === '' ? 'book' : title
  return freeSlug(name, new Set(await listings.slugsLike(slugOf(name))))
}

function alreadyPublished({ id, slug }: Listing): AppError {
  const message = `This book is on the marketplace already. Change its listing with PATCH /api/v1/marketplace/listings/${id}`
  return new AppError('CONFLICT', message, { details: { listingId: id, slug } })
}
