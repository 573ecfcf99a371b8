import type { AccountEventServices } from '../accounts/events.ts'
import { proveEmail } from '../accounts/prove-email.ts'
import type { AccountStores } from '../accounts/store.ts'
import { inviteNotFoundError } from './find-invite.ts'
import { hasAuthorizedInviter } from './inviter-role.ts'
import { provesEmail } from './invite-links.ts'
import type { Invite, InviteStores } from './invite-store.ts'
import { removeLeavers } from './leave-team.ts'
import { findMembership } from './require-member.ts'
import type { AcceptedInvite, InviteRef, Success } from './schema.ts'
import { presentTeam } from './present-team.ts'
import type { Call, Clock } from '../core/context.ts'
import type { InviteTokenServices } from './invite-tokens.ts'
import type { MemberStores } from './member-store.ts'
import type { DepartmentStores } from './department-store.ts'
import type { TeamStores } from './store.ts'
import type { TeamManuscriptStores } from './leave-team.ts'
import type { ShareStores } from './share-store.ts'
import type { AuditServices } from '../accounts/audit.ts'

/**
 * Accepts an invitation to the caller's address; a mailed link also proves the address. Idempotent while the caller is
 * a member. Throws NOT_FOUND for an invitation that is unknown, for another address, or no longer pending.
 */
export async function acceptInvite(
  ctx: Call &
    AccountStores &
    AccountEventServices &
    InviteTokenServices &
    InviteStores &
    MemberStores &
    TeamStores &
    TeamManuscriptStores &
    ShareStores &
    DepartmentStores &
    AuditServices,
  { token }: InviteRef,
): Promise<AcceptedInvite> {
  const teamId = await joinTeam(ctx, token, ctx.actor.account)
  if (teamId === null) throw inviteNotFoundError()
  await ctx.audit.record({ type: 'member_joined', by: ctx, detail: { team: teamId } })
  const kind = ctx.inviteTokens.verify(token)?.kind
  if (kind && provesEmail(kind)) await proveEmail(ctx, ctx.actor.account)
  const membership = await findMembership(ctx, teamId)
  // The team was deleted, or the caller removed, in the meantime.
  if (!membership) throw inviteNotFoundError()
  return { success: true, team: await presentTeam(ctx, membership) }
}

/** Declines an invitation to the caller's address. Idempotent. Throws NOT_FOUND like `acceptInvite`. */
export async function declineInvite(
  ctx: Call & InviteTokenServices & InviteStores,
  { token }: InviteRef,
): Promise<Success> {
  const verified = ctx.inviteTokens.verify(token)
  const { email } = ctx.actor.account
  if (!verified || !(await ctx.invites.decline(verified.inviteId, email, ctx.now()))) throw inviteNotFoundError()
  return { success: true }
}

type Stores = Clock &
  InviteTokenServices &
  InviteStores &
  MemberStores &
  TeamStores &
  TeamManuscriptStores &
  ShareStores

/**
 * Adds an account to the team of an invitation link and returns the team's id; null if the link has no invitation that
 * this account can accept.
 */
export async function joinTeam(
  stores: Stores,
  token: string,
  { id: accountId, email }: { id: string; email: string },
): Promise<string | null> {
  const id = stores.inviteTokens.verify(token)?.inviteId
  const found = id === undefined ? null : await stores.invites.byId(id)
  if (!found || (found.status === 'PENDING' && !(await hasAuthorizedInviter(stores, found)))) return null
  const invite = await stores.invites.accept(found.id, { email, accountId }, stores.now())
  if (!invite) return null
  if (invite.joiningSince !== null) await completeJoining(stores, invite)
  return (await stores.members.find(invite.teamId, accountId)) ? invite.teamId : null
}

/** Adds the account that has accepted an invitation to its team. The sweep completes this after a crash. */
export async function completeJoining(stores: Stores, invite: Invite): Promise<void> {
  const { id, teamId, role, acceptedBy, joiningSince } = invite
  const { members, teams, invites } = stores
  if (acceptedBy === null || joiningSince === null) return
  const accountId = acceptedBy
  const member = { teamId, accountId, role, departments: [], joinedAt: joiningSince, leavingAt: null }
  if (!(await members.add(member))) {
    // A person who rejoins while their departure is still pending leaves first.
    const leaving = await members.listLeaving(teamId)
    await removeLeavers(
      stores,
      leaving.filter((leaver) => leaver.accountId === accountId),
    )
    await members.add(member)
  }
  if (!(await teams.byId(teamId))) {
    // The team was deleted meanwhile.
    await members.markLeaving(teamId, accountId, stores.now())
    await removeLeavers(stores, [member])
  }
  await invites.clearJoining(id)
}
