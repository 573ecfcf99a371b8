import { z } from 'zod'
import { Count, maxOrdinal, Ordinal, Timestamp } from '../core/field-types.ts'
import { nameSchema, noteSchema } from '../core/schema-notes.ts'
import { Content, ItemId, QuotedFrom } from '../books/schema.ts'

const ExpectedVersion = z.int().min(0).optional().describe('The version you read; refused if the book changed since.')

const Changed = z.object({ version: Count, pageCount: Count, updatedAt: Timestamp })

export const AppendItemPages = z.strictObject({
  id: ItemId,
  content: Content.describe('Markdown, up to 1 MB; each top-level "# " heading starts a page.'),
  position: z.enum(['start', 'end']).optional().describe('Default: end.'),
  expectedVersion: ExpectedVersion,
})
export type AppendItemPages = z.infer<typeof AppendItemPages>

export const AppendedPages = Changed.extend({
  id: z.string(),
  title: z.string(),
  quotedFrom: QuotedFrom,
  addedPages: Count,
  firstPage: Ordinal.nullable().describe('First page that contains the new text; null if nothing was added.'),
})
export type AppendedPages = z.infer<typeof AppendedPages>

export const PutItemPage = z.strictObject({
  id: ItemId,
  pageNum: z.int().min(1),
  content: Content.describe('The whole new page, with its "# " heading.'),
  expectedVersion: ExpectedVersion,
})
export type PutItemPage = z.infer<typeof PutItemPage>

/** A number in a path, which is transmitted as text. */
const ordinalInPath = { type: 'integer', minimum: 1, maximum: maxOrdinal, pattern: undefined }

/** In the path of the REST route, the number is a text. */
export const PutItemPageRequest = PutItemPage.extend({
  pageNum: noteSchema(
    z.string().regex(/^[1-9]\d{0,8}$/, 'pageNum must be a page number, 1 or more'),
    ordinalInPath,
  ).transform(Number),
})

export const PutPage = Changed.extend({ id: z.string(), pageNum: Ordinal })
export type PutPage = z.infer<typeof PutPage>

export const PutItemContent = z.strictObject({
  id: ItemId,
  content: Content.describe('The whole new text in Markdown, up to 1 MB.'),
  expectedVersion: ExpectedVersion,
})
export type PutItemContent = z.infer<typeof PutItemContent>

export const PutContent = Changed.extend({ id: z.string(), title: z.string(), quotedFrom: QuotedFrom })
export type PutContent = z.infer<typeof PutContent>

export const ListItemVersions = z.strictObject({ id: ItemId })
export type ListItemVersions = z.infer<typeof ListItemVersions>

const VersionEntry = z.object({
  version: Count,
  createdAt: Timestamp,
  createdBy: z.string(),
  client: z.string().nullable(),
  reason: z.string(),
  pageCount: Count,
  bytes: Count,
  purgedAt: Timestamp.optional().describe('When the owner removed its text for good.'),
})
nameSchema(VersionEntry, 'Version', 'A version of a book: the whole text at one time.')

export const ItemVersions = z.object({
  currentVersion: Count,
  versions: z.array(VersionEntry),
})
export type ItemVersions = z.infer<typeof ItemVersions>

export const RestoreItemVersion = z.strictObject({
  id: ItemId,
  version: z.int().min(1),
  expectedVersion: ExpectedVersion,
})
export type RestoreItemVersion = z.infer<typeof RestoreItemVersion>

export const RestoredVersion = Changed.extend({ id: z.string(), restoredFrom: Count })
export type RestoredVersion = z.infer<typeof RestoredVersion>

export const PurgeItemVersion = z.strictObject({
  itemId: ItemId,
  version: z.int().min(1),
  confirm: z.boolean().optional().describe('true, after the user agreed.'),
})
export type PurgeItemVersion = z.infer<typeof PurgeItemVersion>

/** In the path of the REST route, the number is a text. */
export const PurgeVersionRequest = PurgeItemVersion.extend({
  version: noteSchema(
    z.string().regex(/^[1-9]\d{0,8}$/, 'version must be a version number, 1 or more'),
    ordinalInPath,
  ).transform(Number),
  confirm: noteSchema(z.boolean(), { enum: [true] })
    .optional()
    .describe('true, after the user agreed.'),
})
noteSchema(PurgeVersionRequest, { required: ['itemId', 'version', 'confirm'] })

export const PurgedVersion = z.object({ itemId: z.string(), version: Count, purgedAt: Timestamp })
export type PurgedVersion = z.infer<typeof PurgedVersion>
