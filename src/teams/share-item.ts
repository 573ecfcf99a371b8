import { AppError } from '../core/errors.ts'
import { notifyShare } from './notify-share.ts'
import { requireDepartment } from './find-department.ts'
import { grantShare, notOwnedError, subscriptionRequiredError } from './grant-share.ts'
import { forbiddenRoleError, isManager, requireMember, type Membership } from './require-member.ts'
import type { SharedResult, ShareItem } from './share-schema.ts'
import type { Share, ShareStores } from './share-store.ts'
import { presentShareScope } from './present-share.ts'
import type { Call } from '../core/context.ts'
import type { DepartmentStores } from './department-store.ts'
import type { BookStores } from '../books/store.ts'
import type { TeamStores } from './store.ts'
import type { MemberStores } from './member-store.ts'
import type { NotificationStores } from '../notifications/store.ts'
import type { AuditServices } from '../accounts/audit.ts'

/**
 * Shares one of the caller's books with a team or some of its departments. Leaves an existing share unchanged. Throws
 * FORBIDDEN_ROLE, DEPARTMENT_NOT_FOUND, ITEM_NOT_OWNED and TEAM_SUBSCRIPTION_REQUIRED.
 */
export async function shareItem(
  ctx: Call &
    DepartmentStores &
    BookStores &
    TeamStores &
    MemberStores &
    ShareStores &
    NotificationStores &
    AuditServices,
  input: ShareItem,
): Promise<SharedResult> {
  const { teamId, itemId, accessLevel } = input
  const membership = await requireMember(ctx, teamId)
  const refs = departmentRefs(input) ?? []
  if (!isManager(membership) && (refs.length > 0 || accessLevel === 'WRITE')) {
    throw forbiddenRoleError('Only OWNER and ADMIN may share with departments or grant WRITE', membership)
  }
  const departments = await ctx.departments.list(teamId)
  const ids = [...new Set(refs.map((ref) => requireDepartment(departments, ref).id))]
  const [book] = await ctx.books.findOwned(ctx.actor.id, [itemId])
  if (!book) throw notOwnedError()
  const { share, granted } = await grantOnce(ctx, membership, { teamId, itemId, accessLevel, departments: ids })
  if (granted) {
    const detail = { team: teamId, item: itemId, accessLevel: share.accessLevel, departments: ids }
    await ctx.audit.record({ type: 'share_created', by: ctx, detail })
    await notifyShare(ctx, { membership, share, title: book.title, alreadyHadAccess: new Set() })
  }
  return {
    item: { id: itemId, title: book.title },
    ...presentShareScope(share, departments),
    granted,
    alreadyExisted: !granted,
  }
}

type ShareRequest = Pick<Share, 'teamId' | 'itemId' | 'accessLevel' | 'departments'>

async function grantOnce(
  ctx: Call & ShareStores & BookStores & TeamStores & MemberStores & DepartmentStores,
  { team }: Membership,
  request: ShareRequest,
): Promise<{ share: Share; granted: boolean }> {
  const existing = await ctx.shares.find(request.teamId, request.itemId)
  if (existing) return { share: existing, granted: false }
  if (!team.subscriptionActive) throw subscriptionRequiredError()
  return grantShare(ctx, { ...request, ownerId: ctx.actor.id, sharedBy: ctx.actor.id, sharedAt: ctx.now() })
}

/** The departments of a request in either form: undefined if it names none, empty for the whole team. */
export function departmentRefs({
  departmentSlugs,
  departmentSlug,
}: Pick<ShareItem, 'departmentSlugs' | 'departmentSlug'>): string[] | undefined {
  if (departmentSlugs !== undefined) return departmentSlugs
  if (departmentSlug === undefined) return undefined
  return departmentSlug === null ? [] : [departmentSlug]
}

/**
 * Shares a book with the teams that another book is shared with, on the same terms. Notifies nobody: the book replaces
 * the other one.
 */
export async function copyShares(
  ctx: ShareStores & BookStores & TeamStores & MemberStores & DepartmentStores,
  itemId: string,
  sourceItemId: string,
): Promise<void> {
  for (const { sinceVersion: _, ...share } of await ctx.shares.listByBook(sourceItemId)) {
    await grantShare(ctx, { ...share, itemId }).catch((error: unknown) => {
      // Skips a team, department or membership that was removed meanwhile.
      if (!(error instanceof AppError)) throw error
    })
  }
}
