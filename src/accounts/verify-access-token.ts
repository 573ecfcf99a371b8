import type { Actor, Log, Clock } from '../core/context.ts'
import { AppError } from '../core/errors.ts'
import { grantedScopes } from '../core/scopes.ts'
import { requireActiveAccount } from './require-active-account.ts'
import type { OauthStores } from './oauth-store.ts'
import type { PlanServices } from './plans.ts'

const touchIntervalMs = 60_000

type Stores = Clock & OauthStores & PlanServices & { log: Pick<Log, 'warn'> }

/**
 * Authenticates an OAuth access token issued for `resource` (RFC 8707), with one store read. Refuses any other token
 * with UNAUTHENTICATED, and a suspended or closed account with FORBIDDEN.
 */
export async function verifyAccessToken(
  { oauth, plans, now, log }: Stores,
  token: string,
  resource: string,
): Promise<Actor> {
  const at = now()
  const found = await oauth.findAccessToken(token, at)
  const grantId = found?.payload['grantId']
  if (!found || typeof grantId !== 'string' || found.payload['aud'] !== resource) {
    throw new AppError('UNAUTHENTICATED', 'This access token is unknown, expired, revoked or for another service.')
  }
  const { account, payload, appName, usedAt } = found
  requireActiveAccount(account)
  if (!usedAt || at.getTime() - usedAt.getTime() > touchIntervalMs) {
    oauth.touch(token, grantId, at).catch((err) => log.warn({ err }, 'could not record the use of an access token'))
  }
  return {
    id: account.id,
    account,
    plan: plans.byTier(account.tier),
    scopes: grantedScopes(String(payload['scope'] ?? '').split(' ')),
    credential: { kind: 'oauth', id: grantId, ...(appName === null ? {} : { name: appName }) },
  }
}
