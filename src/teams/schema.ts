import { z } from 'zod'
import { Count, Timestamp, Url } from '../core/field-types.ts'
import { nameSchema, noteSchema, sluggable, visible } from '../core/schema-notes.ts'
import { hasAtMost } from '../core/has-at-most.ts'
import { EmailAddress } from '../accounts/credentials-schema.ts'
import { escapeInvisible } from '../runtime/escape-invisible.ts'
import { limitMarks } from '../runtime/clean-name.ts'
import { slugify } from '../text/slugify.ts'
import { upperCase } from '../text/upper-case.ts'

const maxNameLength = 100

/** The name of a team or a department. It must contain a letter or a digit, because slugs consist of these. */
export const Name = noteSchema(z.string(), {
  minLength: 1,
  maxLength: maxNameLength,
  ...sluggable,
})
  .transform((name) => name.trim())
  .refine((name) => name !== '' && hasAtMost(name, maxNameLength) && name.isWellFormed(), {
    error: `name must have 1 to ${maxNameLength} characters`,
    abort: true,
  })
  .refine(
    (name) => !/\p{Cc}/u.test(name) && escapeInvisible(name) === name,
    'name must be one line, without control characters and other invisible characters',
  )
  .refine((name) => slugify(name) !== '', 'name needs a letter or a digit')
  .transform(limitMarks)
  .describe(`1 to ${maxNameLength} characters.`)

export const TeamId = z.string().min(1).max(64)
const roles = ['OWNER', 'ADMIN', 'MEMBER'] as const

/** A role in any case: `admin` is ADMIN. */
const Role = z.preprocess(upperCase, z.enum(roles))

export const Team = z.object({
  id: z.string(),
  name: z.string(),
  role: z.enum(roles),
  memberCount: Count,
  seatLimit: Count.nullable().describe('Null: no plan limits the members of a team.'),
  departmentCount: Count.describe('Departments that the caller can see.'),
  itemCount: Count.describe('Shared books that the caller can see.'),
})
export type Team = z.infer<typeof Team>
nameSchema(Team, 'Team', 'A team as one of its members sees it.')

export const TeamList = z.object({ teams: z.array(Team) })
export type TeamList = z.infer<typeof TeamList>

export const TeamRef = z.strictObject({ teamId: TeamId })
export type TeamRef = z.infer<typeof TeamRef>

export const CreateTeam = z.strictObject({ name: Name })
export type CreateTeam = z.infer<typeof CreateTeam>

export const UpdateTeam = z.strictObject({ teamId: TeamId, name: Name })
export type UpdateTeam = z.infer<typeof UpdateTeam>

export const TeamResult = z.object({ team: Team })
export type TeamResult = z.infer<typeof TeamResult>

export const Success = z.object({ success: z.literal(true) })
export type Success = z.infer<typeof Success>

export const Member = z.object({
  teamMemberId: z.string().describe('Stays the same while the person is in the team.'),
  email: z.string(),
  emailHidden: z.boolean().describe('True if the address is masked.'),
  name: z.string(),
  role: z.enum(roles),
  departments: z.array(z.string()).describe('Department slugs.'),
})
export type Member = z.infer<typeof Member>
nameSchema(Member, 'Member', 'A member of a team.')

export const Invite = z.object({
  id: z.string(),
  email: z.string(),
  emailHidden: z.boolean(),
  role: z.enum(['ADMIN', 'MEMBER']),
  status: z.enum(['PENDING', 'EXPIRED', 'DECLINED']),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  invitedBy: z.string(),
  url: Url.nullable().describe('Shown to OWNER and ADMIN while the invitation can be accepted.'),
  urlNote: z.string().optional().describe('Why the link is not shown, and how the person gets it.'),
})
export type Invite = z.infer<typeof Invite>
nameSchema(Invite, 'Invite', 'An invitation to a team.')

export const MemberList = z.object({ members: z.array(Member), invites: z.array(Invite) })
export type MemberList = z.infer<typeof MemberList>

/** Anything other than ADMIN invites a MEMBER (contract). */
const InvitedRole = z
  .unknown()
  .transform((role) => (upperCase(role) === 'ADMIN' ? 'ADMIN' : 'MEMBER'))
  .meta({ type: 'string', description: 'MEMBER or ADMIN. Default: MEMBER.' })

const InvitedEmail = noteSchema(EmailAddress, { format: 'email', maxLength: 254, pattern: z.regexes.email.source })

export const InviteMember = z.strictObject({ teamId: TeamId, email: InvitedEmail, role: InvitedRole.optional() })
export type InviteMember = z.infer<typeof InviteMember>

export const InvitedMember = z.object({
  invite: Invite.nullable(),
  member: Member.nullable(),
  added: z.boolean(),
  invited: z.boolean(),
  pending: z.boolean(),
  resent: z.boolean(),
  created: z.boolean(),
  alreadyExisted: z.boolean(),
})
export type InvitedMember = z.infer<typeof InvitedMember>

/** An address to look up; not validated, because an invalid address is simply not found. */
const KnownEmail = noteSchema(z.string().trim().toLowerCase().min(1).max(254), { pattern: visible })

export const MemberRef = z.strictObject({ teamId: TeamId, email: KnownEmail })
export type MemberRef = z.infer<typeof MemberRef>

export const ChangeRole = z.strictObject({ teamId: TeamId, email: KnownEmail, role: Role })
export type ChangeRole = z.infer<typeof ChangeRole>

export const ChangedRole = z.object({ success: z.literal(true), member: Member })
export type ChangedRole = z.infer<typeof ChangedRole>

export const RemovedMember = z.object({ success: z.literal(true), member: z.object({ email: z.string() }) })
export type RemovedMember = z.infer<typeof RemovedMember>

export const InviteRef = z.strictObject({ token: z.string().min(1).max(200) })
export type InviteRef = z.infer<typeof InviteRef>

const OwnInvite = z.object({
  id: z.string(),
  teamId: z.string(),
  teamName: z.string(),
  role: z.enum(['ADMIN', 'MEMBER']),
  expiresAt: Timestamp,
  url: Url,
})
nameSchema(OwnInvite, 'OwnInvite', 'An invitation that the caller can accept.')

export const OwnInvites = z.object({
  invites: z.array(OwnInvite),
  note: z.string().optional().describe('Present if no invitations are listed because the address is not confirmed.'),
})
export type OwnInvites = z.infer<typeof OwnInvites>

export const AcceptedInvite = z.object({ success: z.literal(true), team: Team })
export type AcceptedInvite = z.infer<typeof AcceptedInvite>
