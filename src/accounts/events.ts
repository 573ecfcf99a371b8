import type { Account } from '../core/account.ts'

/** Callbacks into other domains when an account changes. `app/` lists the handlers. */
export interface AccountEvents {
  /** After an account was shown to belong to whoever has its address. */
  emailProven(account: Pick<Account, 'id' | 'email'>): Promise<void>
}

export interface AccountEventServices {
  accountEvents: AccountEvents
}
