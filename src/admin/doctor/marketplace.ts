import type { Book } from '../../books/book.ts'
import { deriveListing } from '../../marketplace/derive-listing.ts'
import type { Listing } from '../../marketplace/listing-store.ts'
import type { Subscription } from '../../marketplace/subscription-store.ts'
import type { Check, DoctorContext, Findings } from './check.ts'

export const listings: Check = {
  name: 'marketplace',
  invariant: 'listings match their books and subscriptions, and subscribed books are listed by another account',
  async run(context) {
    const { db, services } = context
    const findings: Findings = []
    const known = new Map<string, Listing>()
    for await (const listing of services.listings.all()) {
      known.set(listing.itemId, listing)
      const problem = await listingProblem(context, listing)
      if (problem && !(await isChanging(context, listing.itemId))) findings.push(`listing ${listing.id}: ${problem}`)
    }
    for await (const row of db.collection<Subscription>('subscriptions').find()) {
      const problem = subscriptionProblem(row, known.get(row.itemId))
      if (problem && !(await isChanging(context, row.itemId))) findings.push(`subscription ${row._id}: ${problem}`)
    }
    const featured = await db.collection('books').countDocuments({ featuredUntil: { $gt: services.now() } })
    if (featured > 1) findings.push(`${featured} books are featured at the same time`)
    return findings
  },
}

async function listingProblem({ services }: DoctorContext, listing: Listing): Promise<string | null> {
  const { itemId, ownerId } = listing
  const [book] = await services.books.findOwned(ownerId, [itemId])
  if (!book) return `its book ${itemId} does not exist`
  // The sweep refreshes marked listings.
  if (listing.due !== '' || book.indexDue !== '') return null
  const counted = await services.subscriptions.countByBook(ownerId, itemId)
  if (counted !== listing.subscriberCount) return `${listing.subscriberCount} subscribers, ${counted} subscriptions`
  return isCurrent(listing, book) ? null : 'it does not match its book'
}

function isCurrent(listing: Listing, book: Book): boolean {
  const derived = deriveListing(listing, book, listing.subscriberCount)
  const stored = Object.fromEntries(Object.keys(derived).map((key) => [key, listing[key as keyof typeof derived]]))
  return JSON.stringify(stored) === JSON.stringify(derived)
}

function subscriptionProblem(
  { itemId, accountId, ownerId }: Subscription,
  listing: Listing | undefined,
): string | null {
  if (!listing || listing.ownerId !== ownerId) return `the book ${itemId} has no listing`
  return accountId === ownerId ? 'the subscriber owns the book' : null
}

/** True while a book or a subscription to it has a pending change. */
async function isChanging({ db }: Pick<DoctorContext, 'db'>, itemId: string): Promise<boolean> {
  return (await db.collection('accounts').findOne({ 'pending.itemId': itemId })) !== null
}
