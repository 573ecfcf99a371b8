import type { AccountNameStores } from '../accounts/load-account-names.ts'
import { upgradeUrl } from '../accounts/charge-reads.ts'
import type { AccessibleBook, BookAccessStores } from '../books/access.ts'
import { itemNotFound, findOwnBook } from '../books/find-book.ts'
import { loadLockCheck, itemLockedError } from '../books/book-locks.ts'
import { AppError } from '../core/errors.ts'
import { uniqueSlug, slugify } from '../text/slugify.ts'
import { deriveListing } from './derive-listing.ts'
import type { Listing, ListingStores } from './listing-store.ts'
import { refreshListing } from './refresh-listing.ts'
import type { ListingResult, PublishListing } from './schema.ts'
import { presentListingOfBook } from './find-listing.ts'
import { parseCategory, parseTags } from './listing-terms.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { SubscriptionUpdateStores } from './reconcile-subscription.ts'
import { removeListing } from './remove-listing.ts'
import type { AuditServices } from '../accounts/audit.ts'

/**
 * Publishes one of the caller's books on the marketplace; a withdrawn listing is published again under its id and slug.
 * Throws CONFLICT for a book that is already published or not READY, PUBLISH_NOT_ALLOWED on a plan without publishing,
 * and ITEM_LOCKED for a locked book.
 */
export async function publishListing(
  ctx: Call & AccountNameStores & SubscriptionUpdateStores & PublicAddress & AuditServices,
  input: PublishListing,
): Promise<ListingResult> {
  const category = input.category == null ? null : parseCategory(input.category)
  const book = await findOwnBook(ctx, input.itemId, 'Only the owner may publish a book')
  const existing = await ctx.listings.findByBook(book.ownerId, book.id)
  // A retry of a call whose response was lost: the listing has the id that this call would use.
  const isRetry =
    existing !== null && existing.status === 'LIVE' && ctx.idempotencyKey !== null && existing.id === ctx.newId()
  let id = existing?.id
  if (!isRetry) {
    await requirePublishable(ctx, book, existing)
    const { proOnly = false, freeUntil = null } = input
    await ctx.listings.markStale(book.ownerId, book.id)
    // Set before the listing goes live, so that no Pro book is listed without its mark.
    if (!(await ctx.books.change(book.ownerId, book.id, { set: { proOnly, freeUntil } }))) throw itemNotFound()
    id = await createOrRepublish(ctx, { book, existing, category, tags: parseTags(input.tags ?? []) })
    const detail = { item: book.id, proOnly }
    await ctx.audit.record({ type: 'listing_published', by: ctx, accountId: book.ownerId, detail })
  }
  // Set after the listing went live: from here on, a team's change of the book that was checked before is refused.
  if (!(await ctx.books.change(book.ownerId, book.id, { set: { publishedAt: ctx.now() } }))) {
    // The book was deleted meanwhile, perhaps before its listing was added.
    await removeListing(ctx, { ownerId: book.ownerId, itemId: book.id, id: id ?? null })
    throw itemNotFound()
  }
  await refreshListing(ctx, book)
  return presentListingOfBook(ctx, book)
}

async function requirePublishable(
  ctx: Call & BookAccessStores & PublicAddress,
  book: AccessibleBook,
  existing: Listing | null,
): Promise<void> {
  if (existing?.status === 'LIVE') throw alreadyPublishedError(existing)
  if (book.status !== 'READY') {
    const message = `Only a READY book can be published; this one is ${book.status}. Check its import with GET /api/v1/jobs.`
    throw new AppError('CONFLICT', message)
  }
  const { canPublish, tier, tierDisplay } = ctx.actor.plan
  if (!canPublish) {
    const url = upgradeUrl(ctx)
    const message = `The ${tierDisplay} plan does not include publishing to the marketplace. Upgrade at ${url}`
    throw new AppError('PUBLISH_NOT_ALLOWED', message, { details: { tier, upgradeUrl: url } })
  }
  const isLocked = await loadLockCheck(ctx)
  if (isLocked(book)) throw itemLockedError(ctx, [book])
}

interface PublicationInput extends Pick<Listing, 'category' | 'tags'> {
  book: AccessibleBook
  existing: Listing | null
}

/** Returns the id of the listing. */
async function createOrRepublish(
  ctx: Call & ListingStores,
  { book, existing, ...terms }: PublicationInput,
): Promise<string> {
  const at = ctx.now()
  const liveFields = {
    ...terms,
    status: 'LIVE' as const,
    createdAt: at,
    sinceVersion: book.version,
    updatedAt: at,
    withdrawnAt: null,
    announcedAt: null,
  }
  if (existing) {
    if (await ctx.listings.change(book.ownerId, existing.id, { set: liveFields, status: 'WITHDRAWN' }))
      return existing.id
    throw alreadyPublishedError(existing)
  }
  const id = ctx.newId()
  for (;;) {
    const slug = await newSlug(ctx, book.title)
    const ownFields = { id, itemId: book.id, ownerId: book.ownerId, slug, due: id, ...liveFields }
    const outcome = await ctx.listings.add({
      ...ownFields,
      ...deriveListing({ ...ownFields, status: 'WITHDRAWN' }, book, 0),
    })
    if (outcome === 'added') return id
    const other = await ctx.listings.findByBook(book.ownerId, book.id)
    if (other) throw alreadyPublishedError(other)
  }
}

async function newSlug({ listings }: ListingStores, title: string): Promise<string> {
  // A title without letters and digits yields an empty slug.
  const name = slugify(title) === '' ? 'book' : title
  return uniqueSlug(name, new Set(await listings.slugsWithPrefix(slugify(name))))
}

function alreadyPublishedError({ id, slug }: Listing): AppError {
  const message = `This book is already on the marketplace. Change its listing with PATCH /api/v1/marketplace/listings/${id}`
  return new AppError('CONFLICT', message, { details: { listingId: id, slug } })
}
