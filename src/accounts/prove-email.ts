import type { Account } from '../core/account.ts'
import type { Clock } from '../core/context.ts'
import type { AccountEventServices } from './events.ts'
import type { OauthStores } from './oauth-store.ts'
import type { AccountStores } from './store.ts'

type Stores = Clock & AccountStores & AccountEventServices

/** Records that the address of an account is proven, and triggers what depends on that. Idempotent. */
export async function proveEmail(
  { accounts, accountEvents, now }: Stores,
  account: Pick<Account, 'id' | 'email'>,
): Promise<void> {
  if (await accounts.proveEmail(account.id, now())) await accountEvents.emailProven(account)
}

/**
 * Ends the API keys and connected apps of an account with an unproven address, because the person who signed up may not
 * be the one who now proves it. Call it before `proveEmail`; it changes nothing for a proven account.
 */
export async function endUnprovenCredentials(
  { accounts, oauth }: AccountStores & OauthStores,
  { id, emailProvenAt }: Account,
): Promise<void> {
  if (emailProvenAt !== null) return
  await accounts.removeKeys(id)
  await oauth.removeAccount(id)
}
