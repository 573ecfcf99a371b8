import { dayInWords } from '../core/day-in-words.ts'
import { AppError } from '../core/errors.ts'
import { erasureGraceMs } from './closure-store.ts'
import type { Account } from '../core/account.ts'

/** Refuses a suspended or closed account with FORBIDDEN; the message says which. */
export function requireActiveAccount({ suspendedAt, deletedAt }: Pick<Account, 'suspendedAt' | 'deletedAt'>): void {
  if (deletedAt) {
    const day = dayInWords(new Date(deletedAt.getTime() + erasureGraceMs))
    throw new AppError(
      'FORBIDDEN',
      `This account is closed and will be erased on ${day}. Until then, the administrator of this server can reopen it.`,
    )
  }
  if (suspendedAt) {
    throw new AppError('FORBIDDEN', 'This account is suspended. Ask the administrator of this server.')
  }
}
