import { AppError } from '../core/errors.ts'
import type { Department } from './department-store.ts'
import { isManager, type Membership } from './require-member.ts'

/** The department with this id, otherwise the one with this slug. Throws DEPARTMENT_NOT_FOUND. */
export function requireDepartment(departments: readonly Department[], ref: string): Department {
  const slug = ref.normalize('NFC')
  const found = departments.find(({ id }) => id === ref) ?? departments.find((each) => each.slug === slug)
  if (!found) throw departmentNotFoundError(ref)
  return found
}

/** The error for an unknown department. */
export function departmentNotFoundError(ref: string): AppError {
  return new AppError('DEPARTMENT_NOT_FOUND', `No department ${ref} in this team`)
}

/** The departments that a member may see: all for OWNER and ADMIN, otherwise their own. */
export function visibleDepartments(membership: Membership, departments: readonly Department[]): Department[] {
  return departments.filter(({ id }) => isManager(membership) || membership.member.departments.includes(id))
}
