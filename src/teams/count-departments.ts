import type { CountedDepartment } from './department-schema.ts'
import type { Department } from './department-store.ts'
import type { Member, MemberStores } from './member-store.ts'
import type { Share, ShareStores } from './share-store.ts'

interface TeamContents {
  members: readonly Pick<Member, 'departments'>[]
  shares: readonly Pick<Share, 'departments'>[]
}

/** A department with the numbers of its members and of the books shared with it. */
export function countDepartment({ id, name, slug }: Department, { members, shares }: TeamContents): CountedDepartment {
  const countWithIt = (all: readonly { departments: readonly string[] }[]) =>
    all.filter(({ departments }) => departments.includes(id)).length
  return { id, name, slug, memberCount: countWithIt(members), itemCount: countWithIt(shares) }
}

/** The current data from which the counts of a team's departments are computed. */
export async function loadTeamContents(ctx: MemberStores & ShareStores, teamId: string): Promise<TeamContents> {
  const [members, shares] = await Promise.all([ctx.members.list(teamId), ctx.shares.list(teamId)])
  return { members, shares }
}
