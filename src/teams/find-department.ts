import { AppError } from '../core/errors.ts'
import type { Department } from './department-store.ts'
import { isManager, type Membership } from './require-member.ts'

/** The department with this id, else the one with this slug; refuses with DEPARTMENT_NOT_FOUND. */
export function requireDepartment(departments: readonly Department[], ref: string): Department {
  const slug = ref.normalize('NFC')
  const found = departments.find(({ id }) => id === ref) ?? departments.find((each) => each.slug === slug)
  if (!found) throw departmentNotFoundError(ref)
  return found
}

/** The refusal of a department that is not there. */
export function departmentNotFoundError(ref: string): AppError {
  return new AppError('DEPARTMENT_NOT_FOUND', `No department ${ref} in this team`)
}

/** The departments that somebody may see: plain members their own, those who run the team all of them. */
export function visibleDepartments(membership: Membership, departments: readonly Department[]): Department[] {
  return departments.filter(({ id }) => isManager(membership) || membership.member.departments.includes(id))
}
