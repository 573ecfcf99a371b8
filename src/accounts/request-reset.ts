import type { Mailer, MailMessage } from '../mail/mailer.ts'
import { issueLink } from './issue-link.ts'
import { ticketTtlMs } from './ticket-store.ts'
import type { Clock, PublicAddress } from '../core/context.ts'
import type { AttemptServices } from './attempt-limiter.ts'
import type { AccountStores } from './store.ts'
import type { TicketStores } from './ticket-store.ts'

type Stores = Clock & AttemptServices & AccountStores & PublicAddress & TicketStores

/**
 * Mails a reset link to an address that has an account. Nothing tells the caller whether it has one, the time of the
 * answer neither: it is looked up afterwards. Too many requests are refused with RATE_LIMITED, by address and by client.
 */
export async function requestReset(
  { mail, ...stores }: Stores & { mail: Mailer },
  { email, client: clientAddress }: { email: string; client: string },
): Promise<void> {
  await stores.attemptLimiter.consume('reset_request', clientAddress)
  await stores.attemptLimiter.consume('reset_mail', email)
  mail.composeAndSend(() => composeResetMail(stores, email))
}

async function composeResetMail(stores: Stores, email: string): Promise<MailMessage | null> {
  const account = await stores.accounts.byEmail(email)
  if (!account || account.suspendedAt) return null
  const { url } = await issueLink(stores, 'reset', account.id)
  return formatResetMail(account, { url, baseUrl: stores.baseUrl })
}

/** The mail with a link to a new password. */
export function formatResetMail(
  { name, email }: { name: string; email: string },
  { url, baseUrl }: { url: string; baseUrl: string },
): MailMessage {
  const hours = ticketTtlMs.reset / 3_600_000
  return {
    to: email,
    subject: 'A new password for Lectern',
    text: [
      `Hello ${name},`,
      `with this link you choose a new password for your account at ${baseUrl}:`,
      url,
      `It works once and for ${hours} hours. If you did not ask for it, do nothing: your password stays as it is.`,
    ].join('\n\n'),
  }
}
