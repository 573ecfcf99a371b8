import { AppError } from '../core/errors.ts'
import type { Member, MemberStores } from './member-store.ts'
import { requireMember } from './require-member.ts'
import type { OneTeam, Success } from './schema.ts'
import type { Call, Clock } from '../core/context.ts'
import type { TeamStores } from './store.ts'
import type { InviteStores } from './invite-store.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { ShareStores } from './share-store.ts'

/** The manuscripts of teams. */
export interface TeamManuscriptStores {
  manuscripts: {
    /** The author's manuscripts are no longer those of the team. */
    leaveTeam(accountId: string, teamId: string): Promise<void>
  }
}

/** Leaves a team: its books are no longer the caller's to read, and the caller's own are no longer shared with it. */
export async function leaveTeam(
  ctx: Call & TeamStores & MemberStores & InviteStores & AccountStores & TeamManuscriptStores & ShareStores,
  { teamId }: OneTeam,
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
  const owns = member.role === 'OWNER'
  if (owns && !(await teams.dropOwner(teamId, accountId))) throw lastOwner()
  const account = await accounts.byId(accountId)
  // Else an acceptance that a crash cut off would be taken up again.
  if (account) await invites.remove(teamId, account.email)
  await members.announceLeaving(teamId, accountId, now())
  // Another owner may have made them one just now.
  if (!owns) await teams.dropOwner(teamId, accountId)
  await endPlaces(stores, [member])
}

/** Ends the places of people who are leaving: the shares of their books go with them. Repeats change nothing. */
export async function endPlaces(
  { members, shares, manuscripts }: Pick<Stores, 'members' | 'shares' | 'manuscripts'>,
  leaving: readonly Pick<Member, 'teamId' | 'accountId'>[],
): Promise<void> {
  for (const { teamId, accountId } of leaving) {
    await shares.removeOwned(teamId, accountId)
    await manuscripts.leaveTeam(accountId, teamId)
    await members.remove(teamId, accountId)
  }
}

/** The refusal of what would leave a team without an owner. */
export function lastOwner(): AppError {
  return new AppError('CONFLICT', 'A team needs an owner. Make another member an owner first, or delete the team.')
}
