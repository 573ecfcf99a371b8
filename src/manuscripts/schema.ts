import { z } from 'zod'
import { Count, Timestamp } from '../core/field-types.ts'
import { isObject } from '../core/is-object.ts'
import { nameSchema } from '../core/schema-notes.ts'
import { hasAtMost } from '../core/has-at-most.ts'
import { QuotedFrom, Title } from '../books/schema.ts'

const statuses = ['ACTIVE', 'PAUSED', 'ARCHIVED'] as const

const maxStructureBytes = 16_000

/** An error message that starts with the path of the field. */
function fieldError(problem: string) {
  return { error: (issue: { path?: PropertyKey[] | undefined }) => `${(issue.path ?? []).join('.')} ${problem}` }
}

function text(max: number) {
  return z
    .string()
    .refine((value) => value.isWellFormed(), fieldError('must be well-formed Unicode (it holds a lone surrogate)'))
    .refine((value) => hasAtMost(value, max), fieldError(`must be at most ${max} characters long`))
    .meta({ maxLength: max })
}

function textList(maxItems: number, maxLength: number) {
  return z.array(text(maxLength)).max(maxItems)
}

const referenceId = z.string().regex(/^[A-Za-z0-9]{1,64}$/, fieldError('must be letters and digits, at most 64'))

const maxStructureDepth = 100

/**
 * An object of any shape, stored as JSON. The depth is limited because deeply nested values overflow the stack of
 * serializers.
 */
const Structure = z
  .unknown()
  .refine(isObject, { ...fieldError('must be an object'), abort: true })
  .refine((value) => !isDeeperThan(value, maxStructureDepth), {
    ...fieldError(`must not be nested deeper than ${maxStructureDepth}`),
    abort: true,
  })
  .refine(
    (value) => Buffer.byteLength(JSON.stringify(value)) <= maxStructureBytes,
    fieldError(`must be at most ${maxStructureBytes} bytes of JSON`),
  )
  .meta({ type: 'object' })

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((inner) => isDeeperThan(inner, depth - 1))
}

const Fields = {
  title: Title,
  description: text(4000).nullish(),
  audience: text(500).nullish(),
  topics: textList(50, 200).optional(),
  criteria: textList(50, 500).optional().describe('What belongs in it.'),
  trigger: text(80).nullish().describe('When to log to it.'),
  instructions: text(16_000).nullish(),
  autoUpdate: z.boolean().optional().describe('Update after each session without asking.'),
  itemId: referenceId.optional(),
  teamId: referenceId.optional(),
  structure: Structure.nullish().describe('Structure hints.'),
}

export const CreateManuscript = z.strictObject({
  ...Fields,
  itemId: Fields.itemId.describe('A book you own. Default: a new one.'),
})
export type CreateManuscript = z.infer<typeof CreateManuscript>

export const UpdateManuscript = z.strictObject({
  manuscriptId: z.string().min(1),
  ...Fields,
  title: Title.optional(),
  status: z.enum(statuses).optional(),
})
export type UpdateManuscript = z.infer<typeof UpdateManuscript>

export const ManuscriptRef = z.strictObject({ manuscriptId: z.string().min(1) })
export type ManuscriptRef = z.infer<typeof ManuscriptRef>

const Status = z.enum(statuses, { error: 'Invalid status; must be one of ACTIVE, PAUSED, ARCHIVED' }).optional()

export const ListManuscripts = z.strictObject({
  status: Status,
  cursor: z.string().max(40).optional().describe('nextCursor of the previous part.'),
  limit: z.int().min(1).max(500).optional(),
})
export type ListManuscripts = z.infer<typeof ListManuscripts>

/** The route takes only the status and is not paginated. */
export const ListManuscriptsQuery = ListManuscripts.pick({ status: true })

const AccountRef = z.object({ id: z.string(), name: z.string() })
nameSchema(AccountRef, 'AccountRef', 'An account by id and name.')

const Manuscript = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  audience: z.string().nullable(),
  topics: z.array(z.string()),
  criteria: z.array(z.string()),
  trigger: z.string().nullable(),
  instructions: z.string().nullable(),
  instructionsBy: AccountRef.nullable().optional().describe('Who wrote the instructions; null if not recorded.'),
  autoUpdate: z.boolean(),
  autoUpdatePausedBy: AccountRef.optional().describe('Whose edit switched autoUpdate off until the author agrees.'),
  isSystem: z.boolean(),
  team: z.boolean(),
  locked: z.boolean(),
  status: z.enum(statuses),
  itemId: z.string(),
  structure: z.unknown().meta({ type: ['object', 'null'] }),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  quotedFrom: QuotedFrom,
})
export type Manuscript = z.infer<typeof Manuscript>
nameSchema(Manuscript, 'Manuscript', 'A Markdown book that an agent keeps up to date, with what belongs in it.')

/** A manuscript without its longest fields, for one that alone exceeds the budget of a response. */
const ManuscriptPart = Manuscript.partial({
  description: true,
  topics: true,
  criteria: true,
  instructions: true,
  structure: true,
}).extend({ omitted: z.array(z.string()).describe('Fields omitted because they are too long for a response.') })
export type ManuscriptPart = z.infer<typeof ManuscriptPart>

export const ManuscriptResult = z.object({ manuscript: z.union([ManuscriptPart, Manuscript]) })
export type ManuscriptResult = z.infer<typeof ManuscriptResult>

/** The output over REST: every field. */
export const WholeManuscriptResult = z.object({ manuscript: Manuscript })

export const ManuscriptList = z.object({
  manuscripts: z.array(z.union([ManuscriptPart, Manuscript])),
  total: Count.optional().describe('Number of all manuscripts, if the list is truncated.'),
  nextCursor: z.string().optional().describe('Pass as cursor to get the next part.'),
})
export type ManuscriptList = z.infer<typeof ManuscriptList>

/** The output over REST: all manuscripts with every field. */
export const WholeManuscriptList = z.object({ manuscripts: z.array(Manuscript) })

export const ArchivedManuscript = z.object({ success: z.literal(true) })
export type ArchivedManuscript = z.infer<typeof ArchivedManuscript>
