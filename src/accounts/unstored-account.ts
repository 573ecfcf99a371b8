import type { Account } from '../core/account.ts'
import type { Clock } from '../core/context.ts'
import type { PlanServices } from './plans.ts'

/** Creates an account in memory only, on the default plan and without slots. */
export function createUnstoredAccount(
  { plans, now }: Clock & PlanServices,
  { id, name }: Pick<Account, 'id' | 'name'>,
): Account {
  return {
    id,
    email: '',
    emailProvenAt: null,
    name,
    tier: plans.defaultTier,
    pricingCohort: 'standard',
    admin: false,
    suspendedAt: null,
    deletedAt: null,
    slots: 0,
    pending: [],
    usable: null,
    createdAt: now(),
  }
}
