import type { AccountStores } from '../accounts/store.ts'
import { systemOwner } from '../books/book.ts'
import type { Account } from '../core/account.ts'

/** False for an account that lets no text of its books be sent to the service. */
export function allowsEmbeddings({ embeddings }: Pick<Account, 'embeddings'>): boolean {
  return embeddings !== 'off'
}

/** Whether texts of an owner's books may be sent now; built-in books may. False for an account that is gone or closed. */
export async function mayEmbed({ accounts }: AccountStores, ownerId: string): Promise<boolean> {
  if (ownerId === systemOwner) return true
  const owner = await accounts.byId(ownerId)
  return owner !== null && owner.deletedAt === null && allowsEmbeddings(owner)
}
