import { z } from 'zod'
import type { Account } from '../core/account.ts'
import type { Services } from '../core/context.ts'
import { AppError } from '../core/errors.ts'

export const Email = z.email().max(254)

/** The account with an address; refuses with NOT_FOUND. */
export async function accountByEmail({ accounts }: Pick<Services, 'accounts'>, email: string): Promise<Account> {
  const account = await accounts.byEmail(email)
  if (account) return account
  throw new AppError('NOT_FOUND', `There is no account ${email}. Make one: lectern user create --email ${email}`)
}
