import type { Account } from '../core/account.ts'
import { AppError } from '../core/errors.ts'
import type { Invite, InviteStores } from './invite-store.ts'
import { invitesPageUrl, inviteUrl } from './present-team.ts'
import type { Team, TeamStores } from './store.ts'
import type { Clock, PublicAddress } from '../core/context.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { NotificationStores } from '../notifications/store.ts'
import type { MailServices } from '../mail/mailer.ts'
import type { AttemptServices } from '../accounts/attempt-limiter.ts'
import type { InviteTokenServices } from './invite-tokens.ts'

/** What it takes to tell somebody of invitations. */
export type InvitationStores = Clock & AccountStores & NotificationStores & PublicAddress & InviteStores & TeamStores

interface InviteWithTeam {
  invite: Invite
  team: Pick<Team, 'name'>
}

/** Tells somebody who has an account of an invitation; once, however often it is renewed. */
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
    // Not the link itself: whoever reads the store could act with it.
    body: `Accept or decline it at ${invitesPageUrl({ baseUrl })}`,
    metadata: { inviteId: id, teamId, teamName: team.name, role },
    createdAt: now(),
    readAt: null,
  })
}

/** Tells a new account of the invitations that its address has already. */
export async function notifyPendingInvites(
  stores: InvitationStores,
  account: Pick<Account, 'id' | 'email'>,
): Promise<void> {
  const invites = await stores.invites.listPending(account.email, stores.now())
  if (invites.length === 0) return
  const teams = new Map((await stores.teams.byIds(invites.map(({ teamId }) => teamId))).map((team) => [team.id, team]))
  for (const invite of invites) {
    const team = teams.get(invite.teamId)
    if (team) await notifyInvite(stores, { invite, team, account })
  }
}

/** Sends the link of an invitation to its address in the background, where the server has mail; not again and again. */
export function mailInvite(
  ctx: MailServices & AttemptServices & AccountStores & InviteTokenServices & PublicAddress,
  { invite, team }: InviteWithTeam,
): void {
  ctx.mail?.composeAndSend(async () => {
    if (!(await takeMailAttempt(ctx, invite.email))) return null
    const inviter = await inviterName(ctx, invite)
    return {
      to: invite.email,
      subject: `An invitation to the team "${team.name}"`,
      text: [
        `${inviter} invites you to the team "${team.name}" on Lectern, where people and their assistants read books.`,
        '',
        'Accept or decline it here:',
        inviteUrl(ctx, invite.id),
        '',
        `The invitation is for ${invite.email} and can be accepted until ${invite.expiresAt.toISOString().slice(0, 10)}.`,
        'If you do not know who sent it, leave it alone: nothing happens without you.',
      ].join('\n'),
    }
  })
}

async function takeMailAttempt({ attemptLimiter: attempts }: AttemptServices, email: string): Promise<boolean> {
  try {
    await attempts.consume('invite_mail', email)
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}

async function inviterName({ accounts }: AccountStores, { invitedBy }: Invite): Promise<string> {
  const inviter = invitedBy === null ? null : await accounts.byId(invitedBy)
  return inviter?.name ?? 'Somebody'
}
