import type { AccountStores } from '../accounts/store.ts'
import { systemOwner } from '../books/book.ts'
import type { Account } from '../core/account.ts'

/** False for an account that allows no text of its books to be sent to the service. */
export function allowsEmbeddings({ embeddings }: Pick<Account, 'embeddings'>): boolean {
  return embeddings !== 'off'
}

/**
 * True if texts of an owner's books may be sent now; always true for built-in books. False for an account that is
 * erased or closed.
 */
export async function allowsEmbedding({ accounts }: AccountStores, ownerId: string): Promise<boolean> {
  if (ownerId === systemOwner) return true
  const owner = await accounts.byId(ownerId)
  return owner !== null && owner.deletedAt === null && allowsEmbeddings(owner)
}
