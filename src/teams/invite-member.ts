import { findMemberByEmail } from './find-member.ts'
import { notifyInvite, mailInvite } from './notify-invite.ts'
import { inviteTtlMs, type Invite } from './invite-store.ts'
import { canInviteAs } from './inviter-role.ts'
import { managerRoles, requireRole, type Membership } from './require-member.ts'
import { attemptLimits } from '../accounts/attempt-limiter.ts'
import { AppError } from '../core/errors.ts'
import type { InvitedMember, InviteMember } from './schema.ts'
import { presentInvites, presentMember } from './present-member.ts'
import type { Call, Clock } from '../core/context.ts'
import type { InvitationStores } from './notify-invite.ts'
import type { DepartmentStores } from './department-store.ts'
import type { MemberStores } from './member-store.ts'
import type { MailServices } from '../mail/mailer.ts'
import type { InviteTokenServices } from './invite-tokens.ts'
import type { AttemptServices } from '../accounts/attempt-limiter.ts'
import type { SignUpSettings } from '../accounts/sign-up-mode.ts'
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

type InviteServices = Call &
  InvitationStores &
  DepartmentStores &
  MailServices &
  SignUpSettings &
  InviteTokenServices &
  AttemptServices

/**
 * Invites an address to a team, or renews its pending invitation; leaves an existing member unchanged. Notifies and
 * mails the invitee. For OWNER and ADMIN; only an OWNER may invite an ADMIN. Refuses more than `attemptLimits.invite`
 * with RATE_LIMITED.
 */
export async function inviteMember(
  ctx: InviteServices,
  { teamId, email, role = 'MEMBER' }: InviteMember,
): Promise<InvitedMember> {
  const membership = await requireRole(ctx, teamId, managerRoles)
  if (!canInviteAs(membership.member.role, role)) throw adminInviteError(membership)
  const existing = await findMemberByEmail(ctx, teamId, email)
  if (existing) {
    const departments = await ctx.departments.list(teamId)
    const member = await presentMember(ctx, membership, { member: existing.member, departments })
    return { ...noOutcome, member, alreadyExisted: true }
  }
  await consumeInviteAttempt(ctx)
  const { invite, created } = await ctx.invites.createOrRenew(newInvite(ctx, { teamId, email, role }), ctx.now())
  await requireStillAllowed(ctx, invite)
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

function adminInviteError({ member }: Membership): AppError {
  return new AppError(
    'FORBIDDEN_ROLE',
    `Only an OWNER may invite an ADMIN; your role in this team is ${member.role}. Invite the person as MEMBER, or ask an owner of the team.`,
  )
}

/**
 * Counts an invitation of the caller. Administrators of the server are not limited, because they may create accounts
 * anyway.
 */
async function consumeInviteAttempt({ attemptLimiter, actor }: Call & AttemptServices): Promise<void> {
  if (actor.account.admin) return
  try {
    await attemptLimiter.consume('invite', actor.id)
  } catch (error) {
    if (!(error instanceof AppError) || error.retryAfterSeconds === undefined) throw error
    const { retryAfterSeconds } = error
    const hours = Math.ceil(retryAfterSeconds / 3600)
    throw new AppError(
      'RATE_LIMITED',
      `You have sent ${attemptLimits.invite.max} invitations within a day. Try again in ${hours === 1 ? 'an hour' : `${hours} hours`}, or ask an administrator of the server, who is not limited.`,
      { retryAfterSeconds },
    )
  }
}

/**
 * Throws NOT_A_TEAM_MEMBER if the team was deleted meanwhile, and FORBIDDEN_ROLE if the caller has lost the role, after
 * removing the new invitation.
 */
async function requireStillAllowed(
  ctx: Call & TeamStores & InviteStores & MemberStores,
  { teamId, role }: Pick<Invite, 'teamId' | 'role'>,
): Promise<void> {
  if (!(await ctx.teams.byId(teamId))) await ctx.invites.removeTeam(teamId)
  const member = await ctx.members.find(teamId, ctx.actor.id)
  if (!member || !canInviteAs(member.role, role)) await ctx.invites.revokeSentBy(teamId, ctx.actor.id, role)
  const membership = await requireRole(ctx, teamId, managerRoles)
  if (!canInviteAs(membership.member.role, role)) throw adminInviteError(membership)
}

async function notifyInvitee(
  ctx: Clock & InvitationStores & MailServices & AttemptServices & InviteTokenServices,
  { team }: Membership,
  invite: Invite,
): Promise<void> {
  const account = await ctx.accounts.byEmail(invite.email)
  if (account?.emailProvenAt) await notifyInvite(ctx, { invite, team, account })
  mailInvite(ctx, { invite, team })
}
