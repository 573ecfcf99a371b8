import { AppError } from '../core/errors.ts'
import { slugify } from '../text/slugify.ts'
import type { RenameDepartment, RenamedDepartment } from './department-schema.ts'
import { departmentNotFoundError, requireDepartment } from './find-department.ts'
import { managerRoles, requireRole } from './require-member.ts'
import type { Call } from '../core/context.ts'
import type { DepartmentStores } from './department-store.ts'
import type { TeamStores } from './store.ts'
import type { MemberStores } from './member-store.ts'

/** Gives a department another name, and the slug of it; refuses a slug that another one has with DEPARTMENT_SLUG_TAKEN. */
export async function renameDepartment(
  ctx: Call & DepartmentStores & TeamStores & MemberStores,
  { teamId, dept, name }: RenameDepartment,
): Promise<RenamedDepartment> {
  await requireRole(ctx, teamId, managerRoles)
  const { id } = requireDepartment(await ctx.departments.list(teamId), dept)
  const slug = slugify(name)
  const outcome = await ctx.departments.rename(teamId, id, { name, slug })
  if (outcome === 'missing') throw departmentNotFoundError(dept)
  if (outcome === 'taken') {
    throw new AppError('DEPARTMENT_SLUG_TAKEN', `A department with the slug ${slug} exists in this team already`)
  }
  return { id, name, slug, department: { id, name, slug } }
}
