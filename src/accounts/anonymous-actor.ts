import type { Actor, Clock } from '../core/context.ts'
import type { PlanServices } from './plans.ts'

/** Whoever calls without a credential: nobody's account, on the default plan, who may look at the marketplace. */
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
