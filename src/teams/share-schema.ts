import { z } from 'zod'
import { Count, Timestamp } from '../core/field-types.ts'
import { atLeastOneOf, nameSchema, noteSchema } from '../core/schema-notes.ts'
import { DepartmentRef } from './department-schema.ts'
import { TeamId } from './schema.ts'
import { upperCase } from '../text/upper-case.ts'

const maxDepartments = 50
const tooManyDepartments = `A book can be shared with at most ${maxDepartments} departments`

const AccessLevel = z.enum(['READ', 'WRITE'])
/** A level in any case: `read` is READ. */
const RequestedLevel = z.preprocess(upperCase, AccessLevel)
const ItemId = z.string().min(1).max(64)

const ShareScope = {
  accessLevel: AccessLevel,
  teamWide: z.boolean().describe('True if shared with the whole team.'),
  departments: z.array(z.string()).describe('Department slugs.'),
  department: z
    .object({ slug: z.string(), name: z.string() })
    .nullable()
    .describe('The first of them, for clients that know one department a share.'),
}

export const SharedItem = z.object({ itemId: z.string(), title: z.string(), ...ShareScope, sharedAt: Timestamp })
export type SharedItem = z.infer<typeof SharedItem>
nameSchema(SharedItem, 'Share', 'A book that is shared with a team.')

export const SharedItemList = z.object({ items: z.array(SharedItem) })
export type SharedItemList = z.infer<typeof SharedItemList>

const DepartmentFields = {
  departmentSlugs: noteSchema(
    z.array(DepartmentRef).refine((slugs) => new Set(slugs).size <= maxDepartments, tooManyDepartments),
    { maxItems: maxDepartments },
  )
    .optional()
    .describe('An empty list shares with the whole team.'),
  departmentSlug: DepartmentRef.nullish().describe('Older form for one department; departmentSlugs takes precedence.'),
}

export const ShareItem = z.strictObject({
  teamId: TeamId,
  itemId: ItemId.describe('A book you own.'),
  ...DepartmentFields,
  accessLevel: RequestedLevel.default('READ'),
})
export type ShareItem = z.infer<typeof ShareItem>

const Item = z.object({ id: z.string(), title: z.string() })

export const SharedResult = z.object({ item: Item, ...ShareScope, granted: z.boolean(), alreadyExisted: z.boolean() })
export type SharedResult = z.infer<typeof SharedResult>

export const UpdateShare = noteSchema(
  z
    .strictObject({ teamId: TeamId, itemId: ItemId, ...DepartmentFields, accessLevel: RequestedLevel.optional() })
    .refine(
      ({ accessLevel, departmentSlugs, departmentSlug }) =>
        accessLevel !== undefined || departmentSlugs !== undefined || departmentSlug !== undefined,
      'Provide accessLevel and/or departmentSlug(s) to update',
    ),
  atLeastOneOf(
    { required: ['accessLevel'], properties: { accessLevel: {} } },
    { required: ['departmentSlugs'], properties: { departmentSlugs: {} } },
    { required: ['departmentSlug'], properties: { departmentSlug: {} } },
  ),
)
export type UpdateShare = z.infer<typeof UpdateShare>

/** The shared book as in the list, plus the `item` of the sibling routes. */
export const UpdatedShare = z.object({ item: Item, ...SharedItem.shape })
export type UpdatedShare = z.infer<typeof UpdatedShare>

export const UnshareItem = z.strictObject({ teamId: TeamId, itemId: ItemId })
export type UnshareItem = z.infer<typeof UnshareItem>

export const UnsharedItem = z.object({
  success: z.literal(true),
  item: z.object({ id: z.string(), title: z.string().nullable().describe('Null if the book was not shared.') }),
  alreadyAbsent: z.boolean(),
})
export type UnsharedItem = z.infer<typeof UnsharedItem>

export const AccessReport = z.object({
  team: z.object({ id: z.string(), name: z.string() }),
  generatedAt: Timestamp,
  departments: z.array(
    z.object({ id: z.string(), slug: z.string(), name: z.string(), memberCount: Count, itemCount: Count }),
  ),
  items: z.array(z.object({ ...SharedItem.shape, sharedBy: z.string() })),
  documents: z
    .array(
      z.object({
        itemId: z.string(),
        title: z.string(),
        accessLevel: AccessLevel,
        teamWide: z.boolean(),
        departmentSlug: z.string().nullable().describe('The first department; null for the whole team.'),
        accessibleByDepartmentSlugs: z.array(z.string()).describe('The departments whose members can read the book.'),
      }),
    )
    .describe('The books of items, by the departments that can read them.'),
})
export type AccessReport = z.infer<typeof AccessReport>
