import type { TicketKind, TicketStores } from './ticket-store.ts'
import type { Clock, PublicAddress } from '../core/context.ts'

const pagePaths: Record<TicketKind, string> = { claim: '/setup', invite: '/sign-up', reset: '/reset' }

/** Issues a single-use link to the page of a ticket kind, for an account, or null for the claim of the server. */
export async function issueLink(
  { tickets, baseUrl, now }: Clock & TicketStores & PublicAddress,
  kind: TicketKind,
  accountId: string | null,
): Promise<{ url: string; expiresAt: Date }> {
  const { token, expiresAt } = await tickets.issue(kind, accountId, now())
  return { url: `${baseUrl}${pagePaths[kind]}?token=${token}`, expiresAt }
}
