import { memberByEmail } from './find-member.ts'
import { announceInvite, mailInvite } from './notify-invite.ts'
import { inviteMs, type Invite } from './invite-store.ts'
import { leaders, requireMember, requireRole, type Place } from './require-member.ts'
import type { InvitedMember, InviteMember } from './schema.ts'
import { showInvites, showMember } from './present-member.ts'
import type { Call, Clock } from '../core/context.ts'
import type { InvitationStores } from './notify-invite.ts'
import type { DepartmentStores } from './department-store.ts'
import type { MemberStores } from './member-store.ts'
import type { MailServices } from '../mail/mailer.ts'
import type { InviteTokenServices } from './invite-tokens.ts'
import type { AttemptServices } from '../accounts/attempt-limiter.ts'
import type { TeamStores } from './store.ts'
import type { InviteStores } from './invite-store.ts'

const flags = {
  invite: null,
  member: null,
  added: false,
  invited: false,
  pending: false,
  resent: false,
  created: false,
  alreadyExisted: false,
}

/** Invites an address to a team, or renews its invitation; whoever is in the team already stays as they are. */
export async function inviteMember(
  ctx: Call & InvitationStores & DepartmentStores & MemberStores & MailServices & InviteTokenServices & AttemptServices,
  { teamId, email, role }: InviteMember,
): Promise<InvitedMember> {
  const place = await requireRole(ctx, teamId, leaders)
  const there = await memberByEmail(ctx, teamId, email)
  if (there) {
    const departments = await ctx.departments.list(teamId)
    const member = await showMember(ctx, place, { member: there.member, departments })
    return { ...flags, member, alreadyExisted: true }
  }
  const { invite, created } = await ctx.invites.put(
    newInvite(ctx, { teamId, email, role: role ?? 'MEMBER' }),
    ctx.now(),
  )
  await confirmTeam(ctx, teamId)
  await announce(ctx, place, invite)
  const [shown = null] = await showInvites(ctx, place, [invite])
  return {
    ...flags,
    invite: shown,
    invited: true,
    pending: true,
    resent: !created,
    created,
    alreadyExisted: !created,
  }
}

function newInvite(ctx: Call, given: Pick<Invite, 'teamId' | 'email' | 'role'>): Invite {
  const createdAt = ctx.now()
  return {
    ...given,
    id: ctx.newId(),
    status: 'PENDING',
    invitedBy: ctx.actor.id,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + inviteMs),
    acceptedBy: null,
    joiningSince: null,
  }
}

/** A team that is deleted at this moment takes the invitation with it. */
async function confirmTeam(ctx: Call & TeamStores & InviteStores & MemberStores, teamId: string): Promise<void> {
  if (!(await ctx.teams.byId(teamId))) await ctx.invites.removeTeam(teamId)
  await requireMember(ctx, teamId)
}

async function announce(
  ctx: Clock & InvitationStores & MailServices & AttemptServices & InviteTokenServices,
  { team }: Place,
  invite: Invite,
): Promise<void> {
  const account = await ctx.accounts.byEmail(invite.email)
  if (account) await announceInvite(ctx, { invite, team, account })
  mailInvite(ctx, { invite, team })
}
