import { AppError } from '../core/errors.ts'
import type { Account } from '../core/account.ts'
import type { Call, Clock, PublicAddress } from '../core/context.ts'
import type { MailMessage, MailServices } from '../mail/mailer.ts'
import type { AttemptServices } from './attempt-limiter.ts'
import type { AuditServices, AuditSource } from './audit.ts'
import type { AccountEventServices } from './events.ts'
import { issueLink } from './issue-link.ts'
import { requireRecentPassword } from './recent-password.ts'
import type { AccountStores } from './store.ts'
import { ticketTtlMs, type TicketStores } from './ticket-store.ts'

type LinkStores = Clock & AccountStores & TicketStores & PublicAddress

/**
 * Mails a link to a new address, which makes it the address of the caller's account. An address that has an account gets
 * a mail about that instead; neither the answer nor its timing reveals which. Refuses the present address with
 * INVALID_INPUT, a session without a recent password with FORBIDDEN, too many requests with RATE_LIMITED, and with
 * CONFLICT if the server sends no mail.
 */
export async function requestEmailChange(
  ctx: Call & LinkStores & MailServices & AttemptServices,
  { email }: { email: string },
): Promise<void> {
  const { account } = ctx.actor
  if (!ctx.mail) {
    throw new AppError('CONFLICT', 'This server sends no mail. Ask its administrator to change your address.')
  }
  if (email === account.email) {
    throw new AppError('INVALID_INPUT', 'Your account has this address already.', { details: { field: 'email' } })
  }
  requireRecentPassword(ctx, 'A change of your email address')
  await ctx.attemptLimiter.consume('change_email', account.id)
  await ctx.attemptLimiter.consume('confirm_mail', email)
  ctx.mail.composeAndSend(() => composeLinkMail(ctx, account.id, email))
}

async function composeLinkMail(stores: LinkStores, accountId: string, email: string): Promise<MailMessage> {
  const { baseUrl } = stores
  if (await stores.accounts.byEmail(email)) return { to: email, ...existingAccountMail(baseUrl) }
  const { url } = await issueLink(stores, 'change_email', { accountId, email })
  const text = [
    `Somebody wants to use this email address for their account at ${baseUrl}. If it was you, follow this link while you are signed in there:`,
    url,
    `The link works once, within ${ticketTtlMs.change_email / 3_600_000} hours. If it was not you, ignore this mail: nothing changes.`,
  ]
  return { to: email, subject: 'Confirm your new address for Lectern', text: text.join('\n\n') }
}

function existingAccountMail(baseUrl: string): Omit<MailMessage, 'to'> {
  const text = [
    `Somebody wants to use this email address for another account at ${baseUrl}, but it already has one.`,
    `To sign in to it: ${baseUrl}/sign-in`,
    'If it was you, delete that account or give it another address first. If it was not you, ignore this mail: nothing changes.',
  ]
  return { subject: 'You already have a Lectern account', text: text.join('\n\n') }
}

/** The new address of a link for the caller's account; null if it was used, has expired or is for another account. */
export async function findNewEmail(ctx: Call & Clock & TicketStores, token: string): Promise<string | null> {
  const ticket = await ctx.tickets.find('change_email', token, ctx.now())
  return ticket?.accountId === ctx.actor.id ? ticket.email : null
}

/**
 * Gives the caller's account the address that a link was mailed to. Refuses with NOT_FOUND a link that was used, has
 * expired or is for another account, and with CONFLICT an address that has got an account since.
 */
export async function changeEmail(
  ctx: Call & LinkStores & MailServices & AccountEventServices & AuditServices,
  token: string,
): Promise<void> {
  const email = await findNewEmail(ctx, token)
  if (email === null || !(await ctx.tickets.redeem('change_email', token, ctx.now()))) throw invalidEmailLinkError()
  await replaceEmail(ctx, { account: ctx.actor.account, email, by: ctx })
}

/** The refusal of a link to a new address that was used, has expired or is for another account. */
export function invalidEmailLinkError(): AppError {
  const message =
    'This link has been used, has expired, or is for another account. Sign in to the account that you asked for it with, or ask for a new one on your account page.'
  return new AppError('NOT_FOUND', message)
}

/**
 * Replaces the address of an account by one that is proven to belong to its owner, removes the account's pending links,
 * which were mailed to the previous address, and tells that address. Refuses with CONFLICT a taken address, and an
 * account whose address has changed since it was read.
 */
export async function replaceEmail(
  stores: LinkStores & MailServices & AccountEventServices & AuditServices,
  { account, email, by }: { account: Account; email: string; by: AuditSource },
): Promise<void> {
  const { accounts, tickets, mail, now } = stores
  const { id, email: previous, emailProvenAt } = account
  // Before the change in case of a crash after it, and again for links that were issued in the meantime.
  await tickets.removeAccount(id)
  if (!(await accounts.replaceEmail(id, { from: previous, to: email, provenAt: now() }))) {
    throw new AppError('CONFLICT', 'The address of this account has just been changed. Reload the page to see it.')
  }
  await tickets.removeAccount(id)
  await stores.audit.record({ type: 'email_changed', by, accountId: id })
  // An unproven address may belong to somebody else.
  if (emailProvenAt !== null) await mail?.send(formatChangedMail(previous, stores.baseUrl))
  await stores.accountEvents.emailProven({ id, email })
}

function formatChangedMail(to: string, baseUrl: string): MailMessage {
  const text = [
    `The account at ${baseUrl} that had this email address has another one now. To sign in, enter the new address. Mails about the account go there too.`,
    'If it was not you, ask the administrator of that server for help at once: somebody else may know your password.',
  ]
  return { to, subject: 'The address of your Lectern account has changed', text: text.join('\n\n') }
}
