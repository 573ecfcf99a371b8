import type { ShareStores } from './share-store.ts'
import { loadTitles } from './list-team-items.ts'
import { managerRoles, requireRole } from './require-member.ts'
import type { TeamRef } from './schema.ts'
import type { AccessReport, SharedItem } from './share-schema.ts'
import { presentShare } from './present-share.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { Department, DepartmentStores } from './department-store.ts'
import { countDepartment } from './count-departments.ts'
import type { MemberStores } from './member-store.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { TeamStores } from './store.ts'

/**
 * Who can read what in a team: its departments with member and book counts, and every shared book. For OWNER and ADMIN.
 */
export async function accessReport(
  ctx: Call & BookAccessStores & ShareStores & DepartmentStores & MemberStores & AccountStores & TeamStores,
  { teamId }: TeamRef,
): Promise<AccessReport> {
  const { team } = await requireRole(ctx, teamId, managerRoles)
  const [departments, members, shares] = await Promise.all([
    ctx.departments.list(teamId),
    ctx.members.list(teamId),
    ctx.shares.list(teamId),
  ])
  const [titles, nameOf] = await Promise.all([loadTitles(ctx, shares), sharerNames(ctx, shares)])
  const existingShares = shares.filter(({ itemId }) => titles.has(itemId))
  const items = existingShares.map((share) => ({
    ...presentShare(share, { title: titles.get(share.itemId) ?? '', departments }),
    sharedBy: nameOf(share.sharedBy),
  }))
  return {
    team: { id: team.id, name: team.name },
    generatedAt: ctx.now().toISOString(),
    departments: departments.map((department) => countDepartment(department, { members, shares: existingShares })),
    items,
    documents: items.map((item) => presentDocument(item, departments)),
  }
}

function presentDocument(
  { itemId, title, accessLevel, teamWide, departments: slugs }: SharedItem,
  departments: readonly Department[],
): AccessReport['documents'][number] {
  return {
    itemId,
    title,
    accessLevel,
    teamWide,
    departmentSlug: slugs[0] ?? null,
    accessibleByDepartmentSlugs: teamWide ? departments.map(({ slug }) => slug) : slugs,
  }
}

async function sharerNames(
  ctx: AccountStores,
  shares: readonly { sharedBy: string }[],
): Promise<(id: string) => string> {
  const accounts = await ctx.accounts.byIds([...new Set(shares.map(({ sharedBy }) => sharedBy))])
  const names = new Map(accounts.map(({ id, name }) => [id, name]))
  return (id) => names.get(id) ?? 'a former user'
}
