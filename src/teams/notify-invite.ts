import type { Account } from '../core/account.ts'
import { dayInWords } from '../core/day-in-words.ts'
import { AppError } from '../core/errors.ts'
import type { Invite, InviteStores } from './invite-store.ts'
import { withAuthorizedInviter } from './inviter-role.ts'
import type { MemberStores } from './member-store.ts'
import { invitesPageUrl, inviteUrl } from './present-team.ts'
import { quoteWords } from '../mail/quote-words.ts'
import type { Team, TeamStores } from './store.ts'
import type { Clock, PublicAddress } from '../core/context.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { NotificationStores } from '../notifications/store.ts'
import type { MailServices } from '../mail/mailer.ts'
import type { AttemptServices } from '../accounts/attempt-limiter.ts'
import type { InviteTokenServices } from './invite-tokens.ts'

/** The stores for notifications about invitations. */
export type InvitationStores = Clock &
  AccountStores &
  NotificationStores &
  PublicAddress &
  InviteStores &
  MemberStores &
  TeamStores

interface InviteWithTeam {
  invite: Invite
  team: Pick<Team, 'name'>
}

/** Notifies an account of an invitation; once, however often the invitation is renewed. */
export async function notifyInvite(
  { accounts, notifications, baseUrl, now }: InvitationStores,
  { invite, team, account }: InviteWithTeam & { account: Pick<Account, 'id'> },
): Promise<void> {
  const { id, teamId, role } = invite
  await notifications.add({
    id,
    accountId: account.id,
    type: 'team_invite',
    title: `${await inviterName({ accounts }, invite)} invites you to the team "${team.name}"`,
    // Omits the link, so that reading the database is not enough to accept the invitation.
    body: `Accept or decline it at ${invitesPageUrl({ baseUrl })}`,
    metadata: { inviteId: id, teamId, teamName: team.name, role },
    createdAt: now(),
    readAt: null,
  })
}

/** Notifies an account with a newly proven address of the pending invitations to it. */
export async function notifyPendingInvites(
  stores: InvitationStores,
  account: Pick<Account, 'id' | 'email'>,
): Promise<void> {
  const invites = await withAuthorizedInviter(stores, await stores.invites.listPending(account.email, stores.now()))
  if (invites.length === 0) return
  const teams = new Map((await stores.teams.byIds(invites.map(({ teamId }) => teamId))).map((team) => [team.id, team]))
  for (const invite of invites) {
    const team = teams.get(invite.teamId)
    if (team) await notifyInvite(stores, { invite, team, account })
  }
}

/**
 * Mails the link of an invitation in the background, if the server sends mail; nobody else ever sees this link. A rate
 * limit per address (`invite_mail`) applies; beyond it no mail is sent.
 */
export function mailInvite(
  ctx: MailServices & AttemptServices & AccountStores & InviteTokenServices & PublicAddress,
  { invite, team }: InviteWithTeam,
): void {
  ctx.mail?.composeAndSend(async () => {
    if (!(await takeMailAttempt(ctx, invite.email))) return null
    return {
      to: invite.email,
      subject: 'An invitation to a team on Lectern',
      text: [
        `You are invited to a team at ${ctx.baseUrl}, where people and their assistants read books.`,
        '',
        'Accept or decline it here:',
        inviteUrl(ctx, invite.id, 'mailed'),
        '',
        `The invitation is for ${invite.email} and can be accepted until ${dayInWords(invite.expiresAt)}.`,
        'If you do not know the sender, ignore this mail: nothing happens unless you accept.',
        '',
        'These names were chosen by the sender:',
        quoteWords({ Sender: await inviterName(ctx, invite), Team: team.name }),
      ].join('\n'),
    }
  })
}

async function takeMailAttempt({ attemptLimiter }: AttemptServices, email: string): Promise<boolean> {
  try {
    await attemptLimiter.consume('invite_mail', email)
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

/** The name of the person who sent an invitation. */
export async function inviterName({ accounts }: AccountStores, { invitedBy }: Invite): Promise<string> {
  const inviter = invitedBy === null ? null : await accounts.byId(invitedBy)
  return inviter?.name ?? 'Somebody'
}
