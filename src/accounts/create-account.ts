import { z } from 'zod'
import { AccountName } from './credentials-schema.ts'
import { AppError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { AccountOptions } from './account-row.ts'
import type { AccountStores } from './store.ts'
import type { Account } from '../core/account.ts'
import type { Clock } from '../core/context.ts'
import type { PlanServices } from './plans.ts'

export const NewAccount = z.strictObject({
  email: z
    .email()
    .max(254)
    .transform((email) => email.toLowerCase()),
  name: AccountName.optional(),
  plan: z.string().optional(),
  admin: z.boolean().optional(),
})
export type NewAccount = z.infer<typeof NewAccount>

type Stores = Clock & AccountStores & PlanServices

interface CreationOptions extends AccountOptions {
  /** True if an administrator vouches for the address, or a link that was mailed to it creates the account. */
  emailProven?: boolean
}

/**
 * Creates an account, whose address is unproven unless `emailProven`. Refuses a taken address with CONFLICT, and an
 * unknown plan with INVALID_INPUT.
 */
export async function createAccount(
  { accounts, plans, now }: Stores,
  input: NewAccount,
  { emailProven = false, ...options }: CreationOptions = {},
): Promise<Account> {
  const tier = input.plan ?? plans.defaultTier
  if (!plans.has(tier)) throw unknownPlan(tier, plans.tiers)
  const createdAt = now()
  const account: Account = {
    id: newId(createdAt),
    email: input.email,
    emailProvenAt: emailProven ? createdAt : null,
    name: input.name || (input.email.split('@')[0] ?? input.email),
    tier,
    pricingCohort: 'standard',
    admin: input.admin ?? false,
    suspendedAt: null,
    deletedAt: null,
    slots: 0,
    pending: [],
    usable: null,
    createdAt,
  }
  await accounts.create(account, options)
  return account
}

/** The refusal of an unknown plan; lists the available ones. */
export function unknownPlan(tier: string, tiers: readonly string[]): AppError {
  return new AppError('INVALID_INPUT', `There is no plan ${tier}. Plans: ${tiers.join(', ')}.`)
}
