import { AppError } from '../core/errors.ts'
import { slugify } from '../text/slugify.ts'
import type { RenameDepartment, RenamedDepartment } from './department-schema.ts'
import { departmentNotFoundError, requireDepartment } from './find-department.ts'
import { managerRoles, requireRole } from './require-member.ts'
import type { Call } from '../core/context.ts'
import type { DepartmentStores } from './department-store.ts'
import type { TeamStores } from './store.ts'
import type { MemberStores } from './member-store.ts'
import { countDepartment, loadTeamContents } from './count-departments.ts'
import type { ShareStores } from './share-store.ts'

/**
 * Renames a department, which also changes its slug. Throws DEPARTMENT_SLUG_TAKEN if another department has that slug.
 * For OWNER and ADMIN.
 */
export async function renameDepartment(
  ctx: Call & DepartmentStores & TeamStores & MemberStores & ShareStores,
  { teamId, dept, name }: RenameDepartment,
): Promise<RenamedDepartment> {
  await requireRole(ctx, teamId, managerRoles)
  const department = requireDepartment(await ctx.departments.list(teamId), dept)
  const slug = slugify(name)
  const outcome = await ctx.departments.rename(teamId, department.id, { name, slug })
  if (outcome === 'missing') throw departmentNotFoundError(dept)
  if (outcome === 'taken') {
    throw new AppError(
      'DEPARTMENT_SLUG_TAKEN',
      `This team already has a department with the slug ${slug}. Choose another name.`,
    )
  }
  const renamed = countDepartment({ ...department, name, slug }, await loadTeamContents(ctx, teamId))
  return { ...renamed, department: renamed }
}
