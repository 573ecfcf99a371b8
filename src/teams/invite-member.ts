import { findMemberByEmail } from './find-member.ts'
import { notifyInvite, mailInvite } from './notify-invite.ts'
import { inviteTtlMs, type Invite } from './invite-store.ts'
import { managerRoles, requireMember, requireRole, type Membership } from './require-member.ts'
import type { InvitedMember, InviteMember } from './schema.ts'
import { presentInvites, presentMember } from './present-member.ts'
import type { Call, Clock } from '../core/context.ts'
import type { InvitationStores } from './notify-invite.ts'
import type { DepartmentStores } from './department-store.ts'
import type { MemberStores } from './member-store.ts'
import type { MailServices } from '../mail/mailer.ts'
import type { InviteTokenServices } from './invite-tokens.ts'
import type { AttemptServices } from '../accounts/attempt-limiter.ts'
import type { TeamStores } from './store.ts'
import type { InviteStores } from './invite-store.ts'

const noOutcome = {
  invite: null,
  member: null,
  added: false,
  invited: false,
  pending: false,
  resent: false,
  created: false,
  alreadyExisted: false,
}

/**
 * Invites an address to a team, or renews its pending invitation; an existing member is left as is. Notifies and mails
 * the invitee. For OWNER and ADMIN.
 */
export async function inviteMember(
  ctx: Call & InvitationStores & DepartmentStores & MemberStores & MailServices & InviteTokenServices & AttemptServices,
  { teamId, email, role }: InviteMember,
): Promise<InvitedMember> {
  const membership = await requireRole(ctx, teamId, managerRoles)
  const existing = await findMemberByEmail(ctx, teamId, email)
  if (existing) {
    const departments = await ctx.departments.list(teamId)
    const member = await presentMember(ctx, membership, { member: existing.member, departments })
    return { ...noOutcome, member, alreadyExisted: true }
  }
  const { invite, created } = await ctx.invites.createOrRenew(
    newInvite(ctx, { teamId, email, role: role ?? 'MEMBER' }),
    ctx.now(),
  )
  await requireTeamStillExists(ctx, teamId)
  await notifyInvitee(ctx, membership, invite)
  const [presented = null] = await presentInvites(ctx, membership, [invite])
  return {
    ...noOutcome,
    invite: presented,
    invited: true,
    pending: true,
    resent: !created,
    created,
    alreadyExisted: !created,
  }
}

function newInvite(ctx: Call, fields: Pick<Invite, 'teamId' | 'email' | 'role'>): Invite {
  const createdAt = ctx.now()
  return {
    ...fields,
    id: ctx.newId(),
    status: 'PENDING',
    invitedBy: ctx.actor.id,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + inviteTtlMs),
    acceptedBy: null,
    joiningSince: null,
  }
}

/** Throws NOT_A_TEAM_MEMBER if the team was deleted meanwhile, after removing the new invitation. */
async function requireTeamStillExists(
  ctx: Call & TeamStores & InviteStores & MemberStores,
  teamId: string,
): Promise<void> {
  if (!(await ctx.teams.byId(teamId))) await ctx.invites.removeTeam(teamId)
  await requireMember(ctx, teamId)
}

async function notifyInvitee(
  ctx: Clock & InvitationStores & MailServices & AttemptServices & InviteTokenServices,
  { team }: Membership,
  invite: Invite,
): Promise<void> {
  const account = await ctx.accounts.byEmail(invite.email)
  if (account) await notifyInvite(ctx, { invite, team, account })
  mailInvite(ctx, { invite, team })
}
