import type { Account } from '../core/account.ts'

/** Event handlers of other domains for changes of accounts. `app/` lists the handlers. */
export interface AccountEvents {
  /** After the address of an account was proven to belong to its owner. */
  emailProven(account: Pick<Account, 'id' | 'email'>): Promise<void>
}

export interface AccountEventServices {
  accountEvents: AccountEvents
}
