import type { DeletedDepartment, TeamDepartmentRef } from './department-schema.ts'
import { requireDepartment } from './find-department.ts'
import { presentDepartment } from './list-departments.ts'
import { managerRoles, requireRole } from './require-member.ts'
import type { Call } from '../core/context.ts'
import type { DepartmentStores } from './department-store.ts'
import type { MemberStores } from './member-store.ts'
import type { ShareStores } from './share-store.ts'
import type { TeamStores } from './store.ts'

/**
 * Deletes a department: removes its members from it and ends the shares that were with it alone. For OWNER and ADMIN.
 */
export async function deleteDepartment(
  ctx: Call & DepartmentStores & MemberStores & ShareStores & TeamStores,
  { teamId, dept }: TeamDepartmentRef,
): Promise<DeletedDepartment> {
  await requireRole(ctx, teamId, managerRoles)
  const department = requireDepartment(await ctx.departments.list(teamId), dept)
  await ctx.departments.markRemoving(teamId, department.id, ctx.now())
  const unsharedCount = await removeDepartment(ctx, department)
  return { success: true, department: presentDepartment(department), unsharedCount }
}

type Stores = DepartmentStores & MemberStores & ShareStores

/**
 * Removes a department that is marked as removing, and returns how many shares ended. Idempotent: a repeat completes an
 * interrupted removal.
 */
export async function removeDepartment(
  { departments, members, shares }: Stores,
  { teamId, id }: { teamId: string; id: string },
): Promise<number> {
  await members.clearDepartment(teamId, id)
  const ended = await shares.removeDepartment(teamId, id)
  await departments.remove(teamId, id)
  return ended
}
