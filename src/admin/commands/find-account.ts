import { z } from 'zod'
import type { Account } from '../../core/account.ts'
import { AppError } from '../../core/errors.ts'
import type { AccountStores } from '../../accounts/store.ts'

export const Email = z.email().max(254)

/** Finds an account by its email address; refuses with NOT_FOUND. */
export async function findAccountByEmail({ accounts }: AccountStores, email: string): Promise<Account> {
  const account = await accounts.byEmail(email)
  if (account) return account
  throw new AppError('NOT_FOUND', `No account ${email}. To create it: lectern user create --email ${email}`)
}
