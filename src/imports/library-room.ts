import type { AccountStores } from '../accounts/store.ts'
import { storageUse } from '../books/storage-limit.ts'
import type { BookStores } from '../books/store.ts'
import type { Call } from '../core/context.ts'

/** What the plan of an account still has room for. */
export interface LibraryRoom {
  /** Books that can still be added, and of how many. */
  booksLeft: number
  itemLimit: number
  /** The largest file. */
  uploadMb: number
  /** Bytes that can still be stored; null: not limited. */
  storageLeft: number | null
}

/** What the caller can still add. */
export async function libraryRoom(ctx: Call & AccountStores & BookStores): Promise<LibraryRoom> {
  const { id, plan } = ctx.actor
  const [account, use] = await Promise.all([ctx.accounts.byId(id), storageUse(ctx, id, plan)])
  const { itemLimit, uploadMb } = plan
  const storageLeft = use && Math.max(0, use.limitBytes - use.usedBytes)
  return { booksLeft: Math.max(0, itemLimit - (account?.slots ?? 0)), itemLimit, uploadMb, storageLeft }
}
