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
 * Takes an account that is being erased out of every team, its invitations included. Where it is the last owner, the
 * admin who came first, else the member who did, becomes the owner; a team without anybody else goes with it.
 * Repeating it finishes what a crash left.
 */
export async function eraseMemberships(stores: Stores, { id, email }: { id: string; email: string }): Promise<void> {
  await stores.invites.eraseAccount({ id, email })
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

/** Who holds a team after its owner; null: another owner does already. */
async function findSuccessor({ members }: Stores, { teamId, accountId }: Member): Promise<Member | 'none' | null> {
  const others = (await members.list(teamId)).filter((other) => other.accountId !== accountId)
  if (others.some(({ role }) => role === 'OWNER')) return null
  return others.find(({ role }) => role === 'ADMIN') ?? others[0] ?? 'none'
}
