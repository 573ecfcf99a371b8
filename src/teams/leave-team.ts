import { AppError } from '../core/errors.ts'
import type { Member, MemberStores } from './member-store.ts'
import { requireMember } from './require-member.ts'
import type { TeamRef, Success } from './schema.ts'
import type { Call, Clock } from '../core/context.ts'
import type { TeamStores } from './store.ts'
import type { InviteStores } from './invite-store.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { ShareStores } from './share-store.ts'

/** The manuscripts of teams. */
export interface TeamManuscriptStores {
  manuscripts: {
    /** The author's manuscripts are no longer those of the team. */
    detachFromTeam(accountId: string, teamId: string): Promise<void>
  }
}

/** Leaves a team: its books are no longer the caller's to read, and the caller's own are no longer shared with it. */
export async function leaveTeam(
  ctx: Call & TeamStores & MemberStores & InviteStores & AccountStores & TeamManuscriptStores & ShareStores,
  { teamId }: TeamRef,
): Promise<Success> {
  const { member } = await requireMember(ctx, teamId)
  await endMembership(ctx, member)
  return { success: true }
}

type Stores = Clock & TeamStores & MemberStores & InviteStores & AccountStores & TeamManuscriptStores & ShareStores

/** Takes somebody out of a team, at once; refuses the last owner with CONFLICT. */
export async function endMembership(stores: Stores, member: Member): Promise<void> {
  const { teams, members, invites, accounts, now } = stores
  const { teamId, accountId } = member
  const isOwner = member.role === 'OWNER'
  if (isOwner && !(await teams.removeOwner(teamId, accountId))) throw lastOwnerError()
  const account = await accounts.byId(accountId)
  // Else an acceptance that a crash cut off would be taken up again.
  if (account) await invites.remove(teamId, account.email)
  await members.markLeaving(teamId, accountId, now())
  // Another owner may have made them one just now.
  if (!isOwner) await teams.removeOwner(teamId, accountId)
  await removeLeavers(stores, [member])
}

/** Ends the places of people who are leaving: the shares of their books go with them. Repeats change nothing. */
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

/** The refusal of what would leave a team without an owner. */
export function lastOwnerError(): AppError {
  return new AppError('CONFLICT', 'A team needs an owner. Make another member an owner first, or delete the team.')
}
