import { AppError } from '../core/errors.ts'
import { isReadByStrangers, readByStrangersError, type PublicationStores } from '../books/publication.ts'
import { notifyOwnerOfGrant, notifyShare, shareAudience } from './notify-share.ts'
import { departmentNotFoundError, requireDepartment } from './find-department.ts'
import { loadTitles } from './list-team-items.ts'
import { managerRoles, requireRole, type Membership } from './require-member.ts'
import { departmentRefs } from './share-item.ts'
import type { UpdatedShare, UpdateShare } from './share-schema.ts'
import { presentShare } from './present-share.ts'
import type { Call } from '../core/context.ts'
import type { BookAccessStores } from '../books/access.ts'
import type { DepartmentStores } from './department-store.ts'
import type { NotificationStores } from '../notifications/store.ts'
import type { MemberStores } from './member-store.ts'
import type { TeamStores } from './store.ts'
import type { Share, ShareStores } from './share-store.ts'
import type { AuditServices } from '../accounts/audit.ts'

/**
 * Changes the access level or the departments of a share; for OWNER and ADMIN. Notifies those who gain access, and the
 * owner of the book if another member grants more than before. Throws TEAM_ITEM_NOT_FOUND, DEPARTMENT_NOT_FOUND, and
 * FORBIDDEN for granting WRITE to another account's book that strangers read.
 */
export async function updateShare(
  ctx: Call &
    BookAccessStores &
    ShareStores &
    DepartmentStores &
    NotificationStores &
    MemberStores &
    PublicationStores &
    TeamStores &
    AuditServices,
  input: UpdateShare,
): Promise<UpdatedShare> {
  const { teamId, itemId, accessLevel } = input
  const membership = await requireRole(ctx, teamId, managerRoles)
  const refs = departmentRefs(input)
  const departments = await ctx.departments.list(teamId)
  const ids = refs && [...new Set(refs.map((ref) => requireDepartment(departments, ref).id))]
  const fields = { ...(accessLevel ? { accessLevel } : {}), ...(ids ? { departments: ids } : {}) }
  await prepareGrant(ctx, membership, { itemId, fields })
  const before = await ctx.shares.change(teamId, itemId, fields)
  if (!before) throw notSharedError()
  const detail = { team: teamId, item: itemId, ...fields }
  await ctx.audit.record({ type: 'share_changed', by: ctx, accountId: before.ownerId, detail })
  await dropRemovedDepartments(ctx, teamId, ids ?? [])
  const share = { ...before, ...fields }
  const title = (await loadTitles(ctx, [share])).get(itemId)
  if (title === undefined) throw notSharedError()
  await notifyShare(ctx, { membership, share, title, alreadyHadAccess: await shareAudience(ctx, before) })
  return { item: { id: itemId, title }, ...presentShare(share, { title, departments }) }
}

interface ShareChange {
  itemId: string
  fields: Partial<Pick<Share, 'accessLevel' | 'departments'>>
}

/**
 * Refuses WRITE for another account's book that strangers read. Notifies the owner of a grant before it takes effect,
 * so that a crash or lost connection cannot suppress the notification.
 */
async function prepareGrant(
  ctx: Call & BookAccessStores & ShareStores & NotificationStores & PublicationStores,
  membership: Membership,
  { itemId, fields }: ShareChange,
): Promise<void> {
  const current = await ctx.shares.find(membership.team.id, itemId)
  if (!current) throw notSharedError()
  if (current.ownerId === ctx.actor.id) return
  const raised = fields.accessLevel === 'WRITE' && current.accessLevel !== 'WRITE'
  if (raised && (await isReadByStrangers(ctx, { id: itemId, ownerId: current.ownerId }))) {
    throw readByStrangersError('The team may not write to this book')
  }
  if (!raised && !isWidened(current, fields)) return
  const title = (await loadTitles(ctx, [current])).get(itemId)
  if (title === undefined) throw notSharedError()
  await notifyOwnerOfGrant(ctx, { membership, share: { ...current, ...fields }, title, raised })
}

/** True if a share reaches additional departments; no departments stands for the whole team. */
function isWidened({ departments: before }: Share, { departments: after }: ShareChange['fields']): boolean {
  if (after === undefined || before.length === 0) return false
  return after.length === 0 || after.some((id) => !before.includes(id))
}

/**
 * Removes departments that were deleted meanwhile from the share, then throws DEPARTMENT_NOT_FOUND. A share without any
 * other department ends.
 */
async function dropRemovedDepartments(
  ctx: DepartmentStores & ShareStores,
  teamId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  const existingIds = new Set((await ctx.departments.list(teamId)).map(({ id }) => id))
  for (const id of ids) {
    if (existingIds.has(id)) continue
    await ctx.shares.removeDepartment(teamId, id)
    throw departmentNotFoundError(id)
  }
}

function notSharedError(): AppError {
  return new AppError('TEAM_ITEM_NOT_FOUND', 'This item is not shared with this team')
}
