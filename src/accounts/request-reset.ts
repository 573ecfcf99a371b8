import type { Mailer, MailMessage } from '../mail/mailer.ts'
import { issueLink } from './issue-link.ts'
import { ticketTtlMs } from './ticket-store.ts'
import type { Clock, PublicAddress } from '../core/context.ts'
import type { AttemptServices } from './attempt-limiter.ts'
import type { AccountStores } from './store.ts'
import type { TicketStores } from './ticket-store.ts'
import type { AuditServices } from './audit.ts'

type Stores = Clock & AttemptServices & AccountStores & PublicAddress & TicketStores & AuditServices

/**
 * Mails a reset link to an address that has an account. Neither the answer nor its timing reveals whether there is one,
 * because the lookup happens afterwards. Refuses too many requests per client or per address with RATE_LIMITED.
 */
export async function requestReset(
  { mail, ...stores }: Stores & { mail: Mailer },
  { email, client: clientAddress }: { email: string; client: string },
): Promise<void> {
  await stores.attemptLimiter.consume('reset_request', clientAddress)
  await stores.attemptLimiter.consume('reset_mail', email)
  mail.composeAndSend(() => composeResetMail(stores, email, clientAddress))
}

async function composeResetMail(stores: Stores, email: string, clientAddress: string): Promise<MailMessage | null> {
  const account = await stores.accounts.byEmail(email)
  if (!account || account.suspendedAt) return null
  const { url } = await issueLink(stores, 'reset', account.id)
  await stores.audit.record({ type: 'reset_requested', by: { clientAddress }, accountId: account.id })
  return formatResetMail(account.email, { url, baseUrl: stores.baseUrl })
}

/** The mail with a reset link. */
function formatResetMail(email: string, { url, baseUrl }: { url: string; baseUrl: string }): MailMessage {
  const hours = ticketTtlMs.reset / 3_600_000
  return {
    to: email,
    subject: 'Choose a new Lectern password',
    text: [
      `Follow this link to choose a new password for your account at ${baseUrl}:`,
      url,
      `The link works once, within ${hours} hours. If you did not ask for it, ignore this mail: your password stays as it is.`,
    ].join('\n\n'),
  }
}
