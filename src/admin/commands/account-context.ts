import type { PlanServices } from '../../accounts/plans.ts'
import { createUnstoredAccount } from '../../accounts/unstored-account.ts'
import type { Context } from '../../app/context.ts'
import type { Account } from '../../core/account.ts'
import { systemOwner } from '../../books/book.ts'
import { newId } from '../../core/ids.ts'
import { byCommand, type AdminContext } from './command.ts'
import { scopes } from '../../core/scopes.ts'
import type { Clock } from '../../core/context.ts'

/** Creates a context in which the command line acts for an account, with its permissions and limits. */
export function createAccountContext(
  { services, log }: Pick<AdminContext, 'services' | 'log'>,
  account: Account,
): Context {
  return {
    ...services,
    actor: {
      id: account.id,
      account,
      plan: services.plans.byTier(account.tier),
      scopes: [...scopes],
      credential: { kind: 'admin', id: 'command-line' },
    },
    transport: 'admin',
    budget: {
      onOverflow: 'omit',
      cost: (text) => text.length,
      maxBatchCost: Infinity,
      maxBookCost: Infinity,
      maxListCost: Infinity,
    },
    signal: new AbortController().signal,
    log,
    requestId: newId(),
    clientAddress: byCommand.clientAddress,
    reportRateStatus: () => undefined,
    idempotencyKey: null,
    sessionId: null,
    clientName: 'lectern',
    newId: () => newId(services.now()),
  }
}

/** The owner of the built-in books; it is not stored and has no slots. */
export function systemAccount(ctx: Clock & PlanServices): Account {
  return createUnstoredAccount(ctx, { id: systemOwner, name: 'Lectern' })
}
