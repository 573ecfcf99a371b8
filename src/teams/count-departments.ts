import type { CountedDepartment } from './department-schema.ts'
import type { Department } from './department-store.ts'
import type { Member, MemberStores } from './member-store.ts'
import type { Share, ShareStores } from './share-store.ts'

interface TeamContents {
  members: readonly Pick<Member, 'departments'>[]
  shares: readonly Pick<Share, 'departments'>[]
}

/** A department with how many members it has, and how many books are shared with it. */
export function countDepartment({ id, name, slug }: Department, { members, shares }: TeamContents): CountedDepartment {
  const countWithIt = (all: readonly { departments: readonly string[] }[]) =>
    all.filter(({ departments }) => departments.includes(id)).length
  return { id, name, slug, memberCount: countWithIt(members), itemCount: countWithIt(shares) }
}

/** What departments of a team are counted from, as it is now. */
export async function loadTeamContents(ctx: MemberStores & ShareStores, teamId: string): Promise<TeamContents> {
  const [members, shares] = await Promise.all([ctx.members.list(teamId), ctx.shares.list(teamId)])
  return { members, shares }
}
