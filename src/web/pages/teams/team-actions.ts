import type { z } from 'zod'
import { AppError } from '../../../core/errors.ts'
import {
  AddedToDepartment,
  CreatedDepartment,
  DeletedDepartment,
  RemovedFromDepartment,
  RenamedDepartment,
} from '../../../teams/department-schema.ts'
import { ChangedRole, InvitedMember, RemovedMember, Success, TeamResult } from '../../../teams/schema.ts'
import { UnsharedItem, UpdatedShare } from '../../../teams/share-schema.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import type { Form } from '../../form.ts'
import type { TypedFields } from '../../text-form.ts'
import type { SignedInVisit } from '../../visit.ts'

interface TeamAction {
  /** The tool that performs it. */
  tool: string
  /** The form fields that are its input, in addition to the team. */
  fields: readonly string[]
  /** Those of them that people type. */
  typed?: TypedFields
  /** Returns further input; refuses a form that contradicts itself with INVALID_INPUT. */
  input?(form: Form): Record<string, unknown>
  output: z.ZodType
  /** The notice afterwards. */
  notice: string
  /** The key of another notice, if the result needs one. */
  otherNotice?(result: unknown): keyof typeof otherNotices | null
  /** True if the caller has no access to the team afterwards. */
  leaves?: true
}

/** Notices about results that differ from the usual one of their action. */
const otherNotices = {
  created: 'Team created. Invite people to it.',
  'invite-mailed': 'Invited. The invitation is on its way by email; it is also in the list below.',
  'invite-member': 'This person is in the team already. Nothing was sent.',
  'department-exists': 'The team has a department with this name already. Nothing was changed.',
} as const

/** The actions of the forms on the team page, by the end of their path. */
export const teamActions: Readonly<Record<string, TeamAction>> = {
  invite: {
    tool: 'invite_team_member',
    fields: ['email', 'role'],
    typed: { email: 'Email address' },
    output: InvitedMember,
    notice: 'Invited. The invitation is in the list below.',
    otherNotice: ({ member }: InvitedMember) => (member === null ? null : 'invite-member'),
  },
  role: { tool: 'change_team_role', fields: ['email', 'role'], output: ChangedRole, notice: 'Role changed.' },
  remove: {
    tool: 'remove_team_member',
    fields: ['email'],
    output: RemovedMember,
    notice: 'Removed. Their books are no longer shared with the team.',
  },
  'withdraw-invitation': {
    tool: 'remove_team_member',
    fields: ['email'],
    output: RemovedMember,
    notice: 'Invitation withdrawn. Its link no longer works.',
  },
  'remove-invitation': {
    tool: 'remove_team_member',
    fields: ['email'],
    output: RemovedMember,
    notice: 'Invitation removed from the list.',
  },
  department: {
    tool: 'create_department',
    fields: ['name'],
    typed: { name: 'Name of the new department' },
    output: CreatedDepartment,
    notice: 'Department created.',
    otherNotice: ({ created }: CreatedDepartment) => (created ? null : 'department-exists'),
  },
  'rename-department': {
    tool: 'rename_department',
    fields: ['dept', 'name'],
    typed: { name: 'New name of the department' },
    output: RenamedDepartment,
    notice: 'Department renamed.',
  },
  'delete-department': {
    tool: 'delete_department',
    fields: ['dept'],
    output: DeletedDepartment,
    notice: 'Department deleted. Books that were shared with it alone are no longer shared.',
  },
  'add-to-department': {
    tool: 'add_department_member',
    fields: ['dept', 'email'],
    output: AddedToDepartment,
    notice: 'Added to the department.',
  },
  'remove-from-department': {
    tool: 'remove_department_member',
    fields: ['dept', 'email'],
    output: RemovedFromDepartment,
    notice: 'Removed from the department.',
  },
  unshare: { tool: 'unshare_item', fields: ['itemId'], output: UnsharedItem, notice: 'The book is no longer shared.' },
  access: {
    tool: 'update_share',
    fields: ['itemId', 'accessLevel'],
    output: UpdatedShare,
    notice: 'Access to the book changed.',
  },
  audience: {
    tool: 'update_share',
    fields: ['itemId'],
    input: readAudience,
    output: UpdatedShare,
    notice: 'Saved who may read the book.',
  },
  rename: {
    tool: 'update_team',
    fields: ['name'],
    typed: { name: 'Name' },
    output: TeamResult,
    notice: 'Team renamed.',
  },
  leave: { tool: 'leave_team', fields: [], output: Success, notice: 'You left the team.', leaves: true },
  delete: { tool: 'delete_team', fields: [], output: Success, notice: 'Team deleted.', leaves: true },
}

/** The departments of a form; none for the whole team. */
function readAudience(form: Form): { departmentSlugs: string[] } {
  const [isTeamWide, departmentSlugs] = [form.has('teamWide'), form.getAll('departments')]
  if (isTeamWide === departmentSlugs.length > 0) {
    const message = 'Nothing was changed. Select either the whole team or the departments that may read the book.'
    throw new AppError('INVALID_INPUT', message)
  }
  return { departmentSlugs }
}

/** The notice for the key that `runTeamAction` returned; null if there is none. */
export function teamNotice(done: string, { sendsMail }: { sendsMail: boolean }): string | null {
  if (done === 'invite' && sendsMail) return otherNotices['invite-mailed']
  if (Object.hasOwn(otherNotices, done)) return otherNotices[done as keyof typeof otherNotices]
  return Object.hasOwn(teamActions, done) ? (teamActions[done]?.notice ?? null) : null
}

/** The action at the end of a path; undefined: there is none. */
export function findTeamAction(name: string): TeamAction | undefined {
  return Object.hasOwn(teamActions, name) ? teamActions[name] : undefined
}

/** Performs the action in the path of a form, with the form's fields; returns the key of its notice. */
export async function runTeamAction(visit: SignedInVisit, form: Form): Promise<{ leaves: boolean; done: string }> {
  const { id: teamId, action: name = '' } = visit.params
  const action = findTeamAction(name)
  if (!action) throw new AppError('NOT_FOUND', 'This page has no such form.')
  const { tool, fields, output, leaves = false } = action
  const given = Object.fromEntries(fields.map((field) => [field, form.get(field) ?? '']))
  const raw = { teamId, ...given, ...action.input?.(form) }
  const result = await callToolForVisit(visit, { name: tool, raw }, output)
  return { leaves, done: action.otherNotice?.(result) ?? name }
}
