import type { ShareStores } from './share-store.ts'
import { findAccessibleBooks } from '../books/access.ts'
import { visibleDepartments } from './find-department.ts'
import { isManager, requireMember, type Membership } from './require-member.ts'
import type { TeamRef } from './schema.ts'
import type { SharedItemList } from './share-schema.ts'
import type { Share } from './share-store.ts'
import { presentShare } from './present-share.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { DepartmentStores } from './department-store.ts'
import type { TeamStores } from './store.ts'
import type { MemberStores } from './member-store.ts'

/**
 * The books that are shared with a team, most recent share first. Plain members see those shared with them and those
 * they share.
 */
export async function listTeamItems(
  ctx: Call & BookAccessStores & ShareStores & DepartmentStores & TeamStores & MemberStores,
  { teamId }: TeamRef,
): Promise<SharedItemList> {
  const membership = await requireMember(ctx, teamId)
  const [shares, departments] = await Promise.all([ctx.shares.list(teamId), ctx.departments.list(teamId)])
  const visible = shares.filter((share) => canSeeShare(membership, share))
  const titles = await loadTitles(ctx, visible)
  const named = visibleDepartments(membership, departments)
  return {
    items: visible.flatMap((share) => {
      const title = titles.get(share.itemId)
      return title === undefined ? [] : [presentShare(share, { title, departments: named })]
    }),
  }
}

/** Whether a member sees a share: it reaches them, they own the book, or they are OWNER or ADMIN. */
export function canSeeShare(membership: Membership, { departments, ownerId }: Share): boolean {
  if (isManager(membership) || ownerId === membership.member.accountId || departments.length === 0) return true
  return departments.some((id) => membership.member.departments.includes(id))
}

const batchSize = 1000

/** The titles of shared books by id; books that are being deleted are missing. */
export async function loadTitles(
  ctx: Call & BookAccessStores & ShareStores,
  shares: readonly Share[],
): Promise<Map<string, string>> {
  const titles = new Map<string, string>()
  for (let at = 0; at < shares.length; at += batchSize) {
    const ids = shares.slice(at, at + batchSize).map(({ itemId }) => itemId)
    for (const { id, title } of await findAccessibleBooks(ctx, ids)) titles.set(id, title)
  }
  return titles
}
