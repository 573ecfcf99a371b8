import { AppError } from '../core/errors.ts'
import type { Call, Clock, PublicAddress } from '../core/context.ts'
import type { MailServices } from '../mail/mailer.ts'
import type { AttemptServices } from './attempt-limiter.ts'
import type { AccountEventServices } from './events.ts'
import { issueLink } from './issue-link.ts'
import { proveEmail } from './prove-email.ts'
import type { AccountStores } from './store.ts'
import { ticketTtlMs, type TicketStores } from './ticket-store.ts'

/**
 * Mails the caller a link that proves the address of the account. Refuses too many requests with RATE_LIMITED, and with
 * CONFLICT if there is nothing to prove or the server sends no mail.
 */
export async function requestConfirmation(
  ctx: Call & Clock & MailServices & AttemptServices & TicketStores & PublicAddress,
): Promise<void> {
  const { mail, baseUrl } = ctx
  const { id, email, emailProvenAt } = ctx.actor.account
  if (emailProvenAt) throw new AppError('CONFLICT', 'Your email address is confirmed already.')
  if (!mail) {
    throw new AppError('CONFLICT', 'This server sends no mail. Ask its administrator to confirm your address.')
  }
  await ctx.attemptLimiter.consume('confirm_mail', email)
  mail.composeAndSend(async () => {
    const { url } = await issueLink(ctx, 'confirm', id)
    const text = [
      `Follow this link to confirm that the account at ${baseUrl} with this address is yours:`,
      url,
      `Sign in to that account first. The link works once, within ${ticketTtlMs.confirm / 3_600_000} hours.`,
      `If you have no account there, ignore this mail and do not follow the link. If somebody else has signed up with your address, you can take over the account by choosing a new password: ${baseUrl}/reset`,
    ]
    return { to: email, subject: 'Confirm your address for Lectern', text: text.join('\n\n') }
  })
}

/** True while a link can prove the address of the caller's account. */
export async function canConfirmEmail(ctx: Call & Clock & TicketStores, token: string): Promise<boolean> {
  return (await ctx.tickets.find('confirm', token, ctx.now()))?.accountId === ctx.actor.id
}

/**
 * Proves the address of the caller's account with a mailed link. Refuses with NOT_FOUND a link that was used, has
 * expired or is for another account. So the proof requires both the account and the address.
 */
export async function confirmEmail(
  ctx: Call & Clock & TicketStores & AccountStores & AccountEventServices,
  token: string,
): Promise<void> {
  const mine = await canConfirmEmail(ctx, token)
  if (!mine || !(await ctx.tickets.redeem('confirm', token, ctx.now()))) throw invalidConfirmationLinkError()
  await proveEmail(ctx, ctx.actor.account)
}

/** The refusal of a confirmation link that was used, has expired or is for another account. */
export function invalidConfirmationLinkError(): AppError {
  const message =
    'This link has been used, has expired, or is for another account. Ask for a new one on your account page.'
  return new AppError('NOT_FOUND', message)
}
