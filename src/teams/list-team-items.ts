import type { ShareStores } from './share-store.ts'
import { accessibleBooks } from '../books/access.ts'
import { visibleDepartments } from './find-department.ts'
import { isLeader, requireMember, type Place } from './require-member.ts'
import type { OneTeam } from './schema.ts'
import type { SharedItemList } from './share-schema.ts'
import type { Share } from './share-store.ts'
import { showShare } from './present-share.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { DepartmentStores } from './department-store.ts'
import type { TeamStores } from './store.ts'
import type { MemberStores } from './member-store.ts'

/** The books that are shared with a team, the last shared first; plain members see what reaches them and what they share. */
export async function listTeamItems(
  ctx: Call & BookAccessStores & ShareStores & DepartmentStores & TeamStores & MemberStores,
  { teamId }: OneTeam,
): Promise<SharedItemList> {
  const place = await requireMember(ctx, teamId)
  const [shares, departments] = await Promise.all([ctx.shares.list(teamId), ctx.departments.list(teamId)])
  const visible = shares.filter((share) => maySee(place, share))
  const titles = await titlesOf(ctx, visible)
  const named = visibleDepartments(place, departments)
  return {
    items: visible.flatMap((share) => {
      const title = titles.get(share.itemId)
      return title === undefined ? [] : [showShare(share, { title, departments: named })]
    }),
  }
}

/** True for those whom a share reaches, whoever shares the book and those who run the team. */
export function maySee(place: Place, { departments, ownerId }: Share): boolean {
  if (isLeader(place) || ownerId === place.member.accountId || departments.length === 0) return true
  return departments.some((id) => place.member.departments.includes(id))
}

const batch = 1000

/** The titles of shared books; one that is just being deleted is left out. */
export async function titlesOf(
  ctx: Call & BookAccessStores & ShareStores,
  shares: readonly Share[],
): Promise<Map<string, string>> {
  const titles = new Map<string, string>()
  for (let at = 0; at < shares.length; at += batch) {
    const ids = shares.slice(at, at + batch).map(({ itemId }) => itemId)
    for (const { id, title } of await accessibleBooks(ctx, ids)) titles.set(id, title)
  }
  return titles
}
