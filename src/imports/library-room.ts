import type { AccountStores } from '../accounts/store.ts'
import { storageUse } from '../books/storage-limit.ts'
import type { BookStores } from '../books/store.ts'
import type { Call } from '../core/context.ts'

/** What else fits into the plan of an account. */
export interface LibraryRoom {
  /** Number of books that can still be added, and the plan's limit. */
  booksLeft: number
  itemLimit: number
  /** Maximum size of a file. */
  uploadMb: number
  /** Bytes that can still be stored; null: unlimited. */
  storageLeft: number | null
}

/** Returns what the caller can still add. */
export async function libraryRoom(ctx: Call & AccountStores & BookStores): Promise<LibraryRoom> {
  const { id, plan } = ctx.actor
  const [account, use] = await Promise.all([ctx.accounts.byId(id), storageUse(ctx, id, plan)])
  const { itemLimit, uploadMb } = plan
  const storageLeft = use && Math.max(0, use.limitBytes - use.usedBytes)
  return { booksLeft: Math.max(0, itemLimit - (account?.slots ?? 0)), itemLimit, uploadMb, storageLeft }
}
