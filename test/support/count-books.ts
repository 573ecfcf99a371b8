import type { BookStore } from '../../src/books/store.ts'
import type { SubscriptionStore } from '../../src/marketplace/subscription-store.ts'

/** How many books an account owns. */
export async function countOwnedBooks(books: BookStore, accountId: string): Promise<number> {
  return (await books.countByOwner([accountId])).get(accountId) ?? 0
}

/** The number of other accounts' books that an account has added. */
export async function countAddedBooks(subscriptions: SubscriptionStore, accountId: string): Promise<number> {
  return (await subscriptions.countByAccount([accountId])).get(accountId) ?? 0
}
