import { dayInWords } from '../core/day-in-words.ts'
import { AppError } from '../core/errors.ts'
import { confirmPassword } from './check-password.ts'
import type { Mailer, MailServices } from '../mail/mailer.ts'
import type { CurrentPasswordForm } from './credentials-schema.ts'
import { erasureGraceMs } from './closure-store.ts'
import type { Account } from '../core/account.ts'
import type { Clock, PublicAddress, Call } from '../core/context.ts'
import type { ClosureStores } from './closure-store.ts'
import type { WebSessionStores } from './web-session-store.ts'
import type { TicketStores } from './ticket-store.ts'
import type { AccountStores } from './store.ts'
import type { PasswordServices } from './password-hasher.ts'
import type { AttemptServices } from './attempt-limiter.ts'
import type { AuditServices } from './audit.ts'

type Stores = Clock & ClosureStores & WebSessionStores & TicketStores & MailServices & PublicAddress

/**
 * Closes an account: refuses its calls from now on and schedules the erasure of the account and everything it owns, in
 * 7 days. Idempotent: a repeat returns the first dates. Refuses an unknown account with NOT_FOUND.
 */
export async function closeAccount(stores: Stores, account: Account): Promise<{ deletedAt: Date; eraseAt: Date }> {
  const closedAt = stores.now()
  const deletedAt = await stores.accountClosures.close(account.id, closedAt)
  if (!deletedAt) throw new AppError('NOT_FOUND', `Account ${account.email} not found. It has been erased.`)
  await stores.webSessions.endAll(account.id)
  await stores.tickets.removeAccount(account.id)
  const eraseAt = new Date(deletedAt.getTime() + erasureGraceMs)
  if (deletedAt.getTime() === closedAt.getTime())
    await sendClosureMail(stores.mail, account, { eraseAt, baseUrl: stores.baseUrl })
  return { deletedAt, eraseAt }
}

async function sendClosureMail(
  mail: Mailer | null,
  { email }: Account,
  { eraseAt, baseUrl }: { eraseAt: Date; baseUrl: string },
): Promise<void> {
  const text = [
    `Your account at ${baseUrl} is closed. On ${dayInWords(eraseAt)} it will be erased with everything it owns.`,
    'Until then the administrator of the server can reopen it with all its data.',
  ]
  await mail?.send({ to: email, subject: 'Your Lectern account is closed', text: text.join('\n\n') })
}

/** Closes the caller's account after checking its password; refuses a wrong one with INVALID_INPUT. */
export async function closeOwnAccount(
  ctx: Call &
    AccountStores &
    PasswordServices &
    AttemptServices &
    ClosureStores &
    WebSessionStores &
    TicketStores &
    MailServices &
    PublicAddress &
    AuditServices,
  { current }: CurrentPasswordForm,
): Promise<void> {
  await confirmPassword(ctx, current)
  await closeAccount(ctx, ctx.actor.account)
  await ctx.audit.record({ type: 'account_closed', by: ctx })
}

/** Reopens a closed or suspended account with all its data. Refuses with CONFLICT once its erasure has begun. */
export async function reopenAccount({ accountClosures }: ClosureStores, { id, email }: Account): Promise<void> {
  if (await accountClosures.reopen(id)) return
  throw new AppError('CONFLICT', `The account ${email} was deleted more than 7 days ago and is being erased.`)
}
