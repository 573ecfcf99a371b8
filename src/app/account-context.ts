import type { Account } from '../core/account.ts'
import type { Log } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import { scopes } from '../core/scopes.ts'
import type { Context, Services } from './context.ts'

/** A program that acts for an account without a request; `id` names the credential. */
interface ActingProgram {
  id: string
  clientAddress: string | null
}

/**
 * Creates a context in which this program acts for an account, with its permissions and limits, and without limits on
 * the size of answers.
 */
export function createContextOf(
  { services, log }: { services: Services; log: Log },
  account: Account,
  { id, clientAddress }: ActingProgram,
): Context {
  return {
    ...services,
    actor: {
      id: account.id,
      account,
      plan: services.plans.byTier(account.tier),
      scopes: [...scopes],
      credential: { kind: 'admin', id },
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
    clientAddress,
    reportRateStatus: () => undefined,
    idempotencyKey: null,
    sessionId: null,
    clientName: 'lectern',
    newId: () => newId(services.now()),
  }
}
