import type { Clock } from '../core/context.ts'
import type { OauthStores } from './oauth-store.ts'
import type { AccountStores } from './store.ts'

/** Revokes all API keys of an account and disconnects its apps, including pending authorizations. Idempotent. */
export async function revokeAccess(
  { accounts, oauth, now }: Clock & AccountStores & OauthStores,
  accountId: string,
): Promise<void> {
  await accounts.revokeKeys(accountId, now())
  await oauth.removeAccount(accountId)
}
