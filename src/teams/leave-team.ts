import { AppError } from '../core/errors.ts'
import type { Member, MemberStores } from './member-store.ts'
import { requireMember } from './require-member.ts'
import type { TeamRef, Success } from './schema.ts'
import type { Call, Clock } from '../core/context.ts'
import type { TeamStores } from './store.ts'
import type { InviteStores } from './invite-store.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { ShareStores } from './share-store.ts'
import type { AuditServices } from '../accounts/audit.ts'

/** The part of the manuscript store that leaving a team changes. */
export interface TeamManuscriptStores {
  manuscripts: {
    /** Turns the author's manuscripts of a team into private ones. */
    detachFromTeam(accountId: string, teamId: string): Promise<void>
  }
}

/**
 * Leaves a team: the caller can no longer read its books, and the caller's books are no longer shared with it. Throws
 * CONFLICT for the last owner.
 */
export async function leaveTeam(ctx: Call & Stores & AuditServices, { teamId }: TeamRef): Promise<Success> {
  const { member } = await requireMember(ctx, teamId)
  await endMembership(ctx, member)
  await ctx.audit.record({ type: 'member_left', by: ctx, detail: { team: teamId } })
  return { success: true }
}

type Stores = Clock & TeamStores & MemberStores & InviteStores & AccountStores & TeamManuscriptStores & ShareStores

/**
 * Removes a member from a team at once, with the pending invitations that they sent. Throws CONFLICT for the last
 * owner.
 */
export async function endMembership(stores: Stores, member: Member): Promise<void> {
  const { teams, members, invites, accounts, now } = stores
  const { teamId, accountId } = member
  const isOwner = member.role === 'OWNER'
  if (isOwner && !(await teams.removeOwner(teamId, accountId))) throw lastOwnerError()
  const account = await accounts.byId(accountId)
  // Otherwise the sweep would complete an acceptance that a crash interrupted.
  if (account) await invites.removeAccount(teamId, account)
  await members.markLeaving(teamId, accountId, now())
  await invites.revokeSentBy(teamId, accountId)
  // Another owner may have promoted them in the meantime.
  if (!isOwner) await teams.removeOwner(teamId, accountId)
  await removeLeavers(stores, [member])
}

/** Removes members who are leaving, and the shares of their books. Idempotent. */
export async function removeLeavers(
  { members, shares, manuscripts }: Pick<Stores, 'members' | 'shares' | 'manuscripts'>,
  leavers: readonly Pick<Member, 'teamId' | 'accountId'>[],
): Promise<void> {
  for (const { teamId, accountId } of leavers) {
    await shares.removeOwned(teamId, accountId)
    await manuscripts.detachFromTeam(accountId, teamId)
    await members.remove(teamId, accountId)
  }
}

/** The error for a change that would leave a team without an owner. */
export function lastOwnerError(): AppError {
  return new AppError('CONFLICT', 'A team needs an owner. Make another member an owner first, or delete the team.')
}
