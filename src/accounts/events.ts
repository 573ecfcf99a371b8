import type { Account } from '../core/account.ts'

/** Callbacks into other domains when an account changes. `app/` lists the handlers. */
export interface AccountEvents {
  /** After a person has created their own account. */
  signedUp(account: Pick<Account, 'id' | 'email'>): Promise<void>
}

export interface AccountEventServices {
  accountEvents: AccountEvents
}
