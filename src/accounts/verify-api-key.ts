import type { Actor, Log, Clock } from '../core/context.ts'
import { AppError } from '../core/errors.ts'
import { grantedScopes } from '../core/scopes.ts'
import { requireActiveAccount } from './require-active-account.ts'
import { hashApiKey, hasApiKeyFormat, oauthTokenPrefix } from './api-key.ts'
import type { AccountStores } from './store.ts'
import type { PlanServices } from './plans.ts'

const touchIntervalMs = 60_000

/**
 * Authenticates an API key with one store read; refuses with the contract's 401 messages, and a suspended or closed
 * account with FORBIDDEN. With `apiKeyOnly`, refuses an OAuth token with INSUFFICIENT_SCOPE.
 */
export async function verifyApiKey(
  { accounts, plans, now, log }: Clock & AccountStores & PlanServices & { log: Pick<Log, 'warn'> },
  token: string,
  apiKeyOnly = false,
): Promise<Actor> {
  if (token.startsWith(oauthTokenPrefix))
    throw apiKeyOnly ? apiKeyRequiredError() : unauthenticated('Token resource binding does not match request')
  if (!hasApiKeyFormat(token)) throw unauthenticated('Invalid API key format')
  const hash = hashApiKey(token)
  const found = await accounts.byKeyHash(hash)
  const at = now()
  if (!found || found.key.revokedAt || (found.key.expiresAt && found.key.expiresAt <= at)) {
    throw unauthenticated('Invalid or revoked API key')
  }
  const { key, account } = found
  requireActiveAccount(account)
  if (!key.lastUsedAt || at.getTime() - key.lastUsedAt.getTime() > touchIntervalMs) {
    accounts.recordKeyUse(hash, at).catch((err) => log.warn({ err }, 'could not record the use of an API key'))
  }
  return {
    id: account.id,
    account,
    plan: plans.byTier(account.tier),
    scopes: grantedScopes(key.scopes),
    credential: { kind: 'key', id: key.id, name: key.name },
  }
}

function unauthenticated(message: string): AppError {
  return new AppError('UNAUTHENTICATED', message)
}

function apiKeyRequiredError(): AppError {
  return new AppError('INSUFFICIENT_SCOPE', 'This token cannot manage agent installs; use an API key.')
}
