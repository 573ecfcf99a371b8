import type { TicketKind, TicketStores, TicketSubject } from './ticket-store.ts'
import type { Clock, PublicAddress } from '../core/context.ts'

const pagePaths: Record<TicketKind, string> = {
  claim: '/setup',
  invite: '/sign-up',
  reset: '/reset',
  sign_up: '/sign-up/confirm',
  confirm: '/account/confirm-email',
  change_email: '/account/new-email',
}

/** Issues a single-use link to the page of a ticket kind, for the id of an account or another subject. */
export async function issueLink(
  { tickets, baseUrl, now }: Clock & TicketStores & PublicAddress,
  kind: TicketKind,
  subject: string | TicketSubject,
): Promise<{ url: string; expiresAt: Date }> {
  const { token, expiresAt } = await tickets.issue(
    kind,
    typeof subject === 'string' ? { accountId: subject } : subject,
    now(),
  )
  return { url: `${baseUrl}${pagePaths[kind]}?token=${token}`, expiresAt }
}
