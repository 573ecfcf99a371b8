import type { Actor, Clock } from '../core/context.ts'
import type { PlanServices } from './plans.ts'

/** The actor of a call without a credential: no stored account, the default plan, the scope `marketplace:read` only. */
export function anonymousActor({ plans, now }: Clock & PlanServices): Actor {
  return {
    id: 'anonymous',
    account: {
      id: 'anonymous',
      email: '',
      name: '',
      tier: plans.defaultTier,
      pricingCohort: 'standard',
      admin: false,
      suspendedAt: null,
      deletedAt: null,
      slots: 0,
      pending: [],
      usable: null,
      createdAt: now(),
    },
    plan: plans.byTier(plans.defaultTier),
    scopes: ['marketplace:read'],
    credential: { kind: 'none', id: 'none' },
  }
}
