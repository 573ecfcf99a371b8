import type { Actor, Clock } from '../core/context.ts'
import type { PlanServices } from './plans.ts'
import { createUnstoredAccount } from './unstored-account.ts'

/**
 * The actor of a call without a credential: no stored account, the default plan, and only the scope `marketplace:read`.
 */
export function anonymousActor(ctx: Clock & PlanServices): Actor {
  const account = createUnstoredAccount(ctx, { id: 'anonymous', name: '' })
  return {
    id: account.id,
    account,
    plan: ctx.plans.byTier(account.tier),
    scopes: ['marketplace:read'],
    credential: { kind: 'none', id: 'none' },
  }
}
