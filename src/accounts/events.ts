import type { Account } from '../core/account.ts'

/** What follows from a change of an account in other domains; the handlers are listed where the application is composed. */
export interface AccountEvents {
  /** Somebody has made an account for themselves. */
  signedUp(account: Pick<Account, 'id' | 'email'>): Promise<void>
}

export interface AccountEventServices {
  accountEvents: AccountEvents
}
