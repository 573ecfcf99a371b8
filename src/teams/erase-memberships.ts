import type { Account } from '../core/account.ts'
import type { Member, MemberStores } from './member-store.ts'
import { removeTeam } from './delete-team.ts'
import { endMembership } from './leave-team.ts'
import type { Clock } from '../core/context.ts'
import type { InviteStores } from './invite-store.ts'
import type { TeamStores } from './store.ts'
import type { DepartmentStores } from './department-store.ts'
import type { ShareStores } from './share-store.ts'
import type { TeamManuscriptStores } from './leave-team.ts'
import type { AccountStores } from '../accounts/store.ts'

type Stores = Clock &
  InviteStores &
  MemberStores &
  TeamStores &
  DepartmentStores &
  ShareStores &
  TeamManuscriptStores &
  AccountStores

/**
 * Removes an account that is being erased from every team, with its invitations. If it is the last owner, the admin who
 * joined first becomes the owner, otherwise the member who joined first; a team without another member is deleted.
 * Idempotent: a repeat completes an interrupted erasure.
 */
export async function eraseMemberships(
  stores: Stores,
  account: Pick<Account, 'id' | 'email' | 'emailProvenAt'>,
): Promise<void> {
  const { id } = account
  await stores.invites.eraseAccount(account)
  for (const member of await stores.members.listByAccount(id)) {
    const successor = member.role === 'OWNER' ? await findSuccessor(stores, member) : null
    if (successor === 'none') {
      await stores.teams.markRemoving(member.teamId, stores.now())
      await removeTeam(stores, member.teamId)
      continue
    }
    if (successor) {
      await stores.members.setRole(successor.teamId, successor.accountId, 'OWNER')
      await stores.teams.addOwner(successor.teamId, successor.accountId)
    }
    await endMembership(stores, member)
  }
}

/**
 * The next owner of a team after this member; null if there is another owner already, `none` if there is no other
 * member.
 */
async function findSuccessor({ members }: Stores, { teamId, accountId }: Member): Promise<Member | 'none' | null> {
  const others = (await members.list(teamId)).filter((other) => other.accountId !== accountId)
  if (others.some(({ role }) => role === 'OWNER')) return null
  return others.find(({ role }) => role === 'ADMIN') ?? others[0] ?? 'none'
}
