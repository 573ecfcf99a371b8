import type { Actor, Log, Clock } from '../core/context.ts'
import { AppError } from '../core/errors.ts'
import { grantedScopes } from '../core/scopes.ts'
import { refuseClosed } from './require-active-account.ts'
import { hashApiKey, isApiKey, oauthPrefix } from './api-key.ts'
import type { AccountStores } from './store.ts'
import type { PlanServices } from './plans.ts'

const touchEveryMs = 60_000

/** Who holds an API key, with one store read; refuses with the contract's 401 messages. */
export async function verifyApiKey(
  { accounts, plans, now, log }: Clock & AccountStores & PlanServices & { log: Pick<Log, 'warn'> },
  token: string,
  apiKeyOnly = false,
): Promise<Actor> {
  if (token.startsWith(oauthPrefix))
    throw apiKeyOnly ? needsApiKey() : unauthenticated('Token resource binding does not match request')
  if (!isApiKey(token)) throw unauthenticated('Invalid API key format')
  const hash = hashApiKey(token)
  const found = await accounts.byKeyHash(hash)
  const at = now()
  if (!found || found.key.revokedAt || (found.key.expiresAt && found.key.expiresAt <= at)) {
    throw unauthenticated('Invalid or revoked API key')
  }
  const { key, account } = found
  refuseClosed(account)
  if (!key.lastUsedAt || at.getTime() - key.lastUsedAt.getTime() > touchEveryMs) {
    accounts.touchKey(hash, at).catch((err) => log.warn({ err }, 'could not note the use of a key'))
  }
  return {
    id: account.id,
    account,
    plan: plans.of(account.tier),
    scopes: grantedScopes(key.scopes),
    credential: { kind: 'key', id: key.id },
  }
}

function unauthenticated(message: string): AppError {
  return new AppError('UNAUTHENTICATED', message)
}

function needsApiKey(): AppError {
  return new AppError('INSUFFICIENT_SCOPE', 'This token cannot manage agent installs; use an API key.')
}
