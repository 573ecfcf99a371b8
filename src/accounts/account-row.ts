import type { Account } from '../core/account.ts'

export interface AccountOptions {
  /** The PHC string of the password. */
  password?: string
  /** Unique: a server has at most one first account. */
  first?: true
}

/** A stored account. Only `findWithPassword` returns the password. */
export type AccountRow = Omit<Account, 'id' | 'emailProvenAt'> & {
  _id: string
  /** Absent in rows of the first release. */
  emailProvenAt?: Date | null
  erasing?: true
  /** The recount of slots that is in progress; every slot change ends it. */
  recount?: string
} & AccountOptions

/**
 * Converts a row to an account, without password and stored marks. If the proof of the address is absent, only accounts
 * created by administrators count as proven.
 */
export function toAccount(row: AccountRow): Account
export function toAccount(row: AccountRow | null): Account | null
export function toAccount(row: AccountRow | null): Account | null {
  if (!row) return null
  const { _id, password: _password, first: _first, erasing: _erasing, recount: _recount, ...fields } = row
  const { emailProvenAt = fields.admin ? fields.createdAt : null } = fields
  return { id: _id, ...fields, emailProvenAt }
}
