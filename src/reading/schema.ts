import { z } from 'zod'
import { emptyIsValue } from '../core/empty-value.ts'
import { Count, Ordinal, Timestamp, Url } from '../core/field-types.ts'
import { atLeastOneOf, nameSchema, noteSchema } from '../core/schema-notes.ts'
import { ItemId, QuotedFrom } from '../books/schema.ts'

const SessionId = z.string().max(64).optional().describe('From start_access_session; groups reads.')

const Freshness = z.object({
  contentVersion: Count,
  lastUpdatedAt: Timestamp,
  changesSinceLastRead: z
    .object({
      fromVersion: Count,
      toVersion: Count,
      changedPages: z.array(Ordinal),
      eventCount: Count.describe('How many versions came since.'),
      summary: z.string(),
      lastUpdatedAt: Timestamp,
      lastReadAt: Timestamp,
    })
    .nullable(),
})
export type Freshness = z.infer<typeof Freshness>
nameSchema(Freshness, 'Freshness', 'The version of a book, and what changed since the caller read it last.')

/** The fields that mark a book as still being imported, in every answer about it. */
export const Unfinished = {
  pagesReady: Count.optional().describe(
    'While the import is not finished: the number of pages that can be read already.',
  ),
  pagesExpected: Count.optional(),
  unfinished: z.string().optional(),
}

/** A locked book, in the answer of a reading call. */
export const Locked = z.object({
  id: z.string(),
  title: z.string(),
  code: z.literal('ITEM_LOCKED'),
  error: z.string(),
  tier: z.string(),
  itemLimit: Count,
  upgradeUrl: Url,
  pickUrl: Url,
  quotedFrom: QuotedFrom,
})
nameSchema(Locked, 'LockedBook', 'A book that is kept and cannot be read on the plan.')

const TocEntry = z.object({ title: z.string(), page: Ordinal, level: Ordinal })
export type TocEntry = z.infer<typeof TocEntry>
nameSchema(TocEntry, 'TocEntry', 'A heading of a table of contents.')

export interface TocNode {
  title: string
  startPage: number
  endPage: number
  children: TocNode[]
}

const TocNode: z.ZodType<TocNode> = z.object({
  title: z.string(),
  startPage: Ordinal,
  endPage: Ordinal,
  get children() {
    return z.array(TocNode)
  },
})
nameSchema(TocNode, 'TocNode', 'A heading with the pages that it covers and the headings below it.')

export const GetTableOfContents = z.strictObject({
  ids: z.array(ItemId).min(1).max(50),
  sessionId: SessionId,
})
export type GetTableOfContents = z.infer<typeof GetTableOfContents>

const idsRequired = 'ids array is required'

/** For the REST route, with the contract's message; it accepts up to 50 books like every reading call. */
export const TocBody = z.object({
  ids: z
    .array(z.string({ error: idsRequired }), { error: idsRequired })
    .min(1, idsRequired)
    .max(50, 'Maximum is 50 per batch'),
})

const Outline = z.object({
  id: z.string(),
  title: z.string(),
  pageCount: Count,
  url: Url,
  toc: z.array(TocEntry).nullable(),
  tocTree: z.array(TocNode).nullable(),
  truncated: z.boolean().optional().describe('True if only the upper levels are included.'),
  proRestricted: z.literal(true).optional().describe('True if only the first previewPageCount pages can be read.'),
  previewPageCount: Count.optional(),
  upgradeUrl: Url.optional(),
  quotedFrom: QuotedFrom,
  ...Unfinished,
})
nameSchema(Outline, 'Outline', 'The table of contents of a book.')

export const TableOfContents = z.object({
  items: z.array(Outline),
  notFound: z.array(z.string()).optional(),
  locked: z.array(Locked).optional(),
})
export type TableOfContents = z.infer<typeof TableOfContents>

/** Each of up to 50 books has its pages parsed, so longer ones would hold up everybody. */
const maxPagesLength = 2000

export const ReadItems = z.strictObject({
  items: z
    .array(
      z.strictObject({
        id: ItemId,
        pages: z
          .string()
          .max(maxPagesLength)
          .register(emptyIsValue, { means: 'no pages' })
          .optional()
          .describe('Such as "1-5,10". Default: all.'),
      }),
    )
    .min(1)
    .max(50),
  partial: z.boolean().optional(),
  sessionId: SessionId,
})
export type ReadItems = z.infer<typeof ReadItems>

const eachValid = 'each item needs a valid id string'
const BatchId = z.string({ error: eachValid }).min(1, eachValid)
const Range = z
  .string({ error: 'pages must be a string such as 1-5,10' })
  .max(maxPagesLength, `pages must be at most ${maxPagesLength} characters long`)
  .nullish()
const batchLimit = 'Too many items. Maximum is 50 per batch'

/** The REST route accepts `items`, or the older `ids` with one `pages` range for all (contract, Versioning). */
export const ReadItemsBody = z
  .object({
    items: z
      .array(z.object({ id: BatchId, pages: Range }, { error: eachValid }))
      .max(50, batchLimit)
      .optional(),
    ids: z.array(BatchId).max(50, batchLimit).optional(),
    pages: Range,
    partial: z.boolean().optional(),
  })
  .refine(({ items, ids }) => (items ?? ids ?? []).length > 0, 'Provide items or ids: neither was supplied')
  .transform(({ items, ids, pages, partial }): ReadItems => ({
    items: (items ?? (ids ?? []).map((id) => ({ id, pages }))).map((item) => ({
      id: item.id,
      pages: item.pages ?? undefined,
    })),
    partial: partial ?? false,
  }))

const Page = z.object({
  pageNum: Ordinal,
  content: z.string(),
  id: z.string(),
  label: z.string().nullable(),
  chapter: z.array(z.string()),
  url: Url.describe('Canonical URL of the page in this version.'),
  ocr: z
    .object({ confidence: z.int().min(0).max(100) })
    .optional()
    .describe('Text recognised from a picture; it may have errors.'),
})
nameSchema(Page, 'Page', 'A page of a book.')

const Metadata = z.object({
  language: z.string().nullable(),
  publisher: z.string().nullable(),
  isbn: z.string().nullable(),
  filename: z.string().nullable(),
  sha256: z.string().nullable(),
  bytes: Count.nullable(),
  prompts: z.array(z.object({ prompt: z.string(), context: z.string().optional(), multiBook: z.boolean().optional() })),
  sampleQuestion: z.string().nullable(),
  outcomes: z.array(z.string()),
})
nameSchema(Metadata, 'BookMetadata', 'What is known of a book beside its title and author.')

/** Preview fields next to the text of a Pro book. */
const Preview = {
  proRestricted: z.boolean(),
  previewPageCount: Count.nullable(),
  totalPageCount: Count,
  upgradeUrl: Url.nullable(),
  launchWindow: z.boolean().optional(),
  freeUntil: Timestamp.nullable().optional(),
}

export const ReadItem = z.object({
  id: z.string(),
  title: z.string(),
  quotedFrom: QuotedFrom,
  description: z.string().nullable(),
  sourceType: z.string(),
  status: z.string(),
  health: z.string(),
  healthReason: z.string().nullable(),
  metadata: Metadata,
  pageCount: Count,
  pages: z.array(Page).optional(),
  note: z.string().optional().describe('Which parts of the requested pages name no page.'),
  truncated: z.boolean(),
  nextPages: z.string().optional().describe('The missing pages, in the format of pages.'),
  laterPages: z.string().optional().describe('What is missing beyond nextPages, if one answer cannot hold it all.'),
  ...Preview,
  ...Unfinished,
  freshness: Freshness,
  url: Url,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type ReadItem = z.infer<typeof ReadItem>
nameSchema(ReadItem, 'OpenedBook', 'A book with the pages that were read.')

/** A truncated item for an answer without room for its other fields. */
const TruncatedItem = ReadItem.pick({
  id: true,
  title: true,
  quotedFrom: true,
  pageCount: true,
  nextPages: true,
  pagesReady: true,
  pagesExpected: true,
  unfinished: true,
}).extend({
  truncated: z.literal(true),
})
export type TruncatedItem = z.infer<typeof TruncatedItem>

export const ReadItemsResult = z.object({
  items: z.array(z.union([ReadItem, TruncatedItem])),
  notFound: z.array(z.string()),
  locked: z.array(Locked).optional(),
  truncatedItemIds: z.array(z.string()),
  truncatedMessage: z.string().nullable(),
})
export type ReadItemsResult = z.infer<typeof ReadItemsResult>

/** The output over REST: books with all their fields, including those whose pages did not fit. */
export const WholeReadItemsResult = ReadItemsResult.extend({ items: z.array(ReadItem) })

export const GetItemContent = z.strictObject({
  id: ItemId,
  fromPage: z.int().min(1).optional().describe('First page to return, to continue a truncated book.'),
  sessionId: SessionId,
})
export type GetItemContent = z.infer<typeof GetItemContent>

/** The REST route has no query and always returns the whole book. */
export const ItemContentPath = GetItemContent.pick({ id: true })

export const ItemContent = z.object({
  id: z.string(),
  title: z.string(),
  quotedFrom: QuotedFrom,
  description: z.string().nullable(),
  content: z.string(),
  version: Count.nullable().describe('Pass as expectedVersion on writes.'),
  versionWithheld: z.string().optional(),
  truncated: z.boolean().optional(),
  nextPages: z.string().optional().describe('The missing pages; pass as pages to read_items.'),
  updatedAt: Timestamp,
  freshness: Freshness,
  url: Url,
  ...Preview,
  ...Unfinished,
  pageCount: Count,
})
export type ItemContent = z.infer<typeof ItemContent>

/** The output over REST: the whole text, or that of the preview. */
export const WholeItemContent = ItemContent.omit({ nextPages: true })
nameSchema(WholeItemContent, 'BookContent', 'A whole book as one text.')
noteSchema(
  ReadItemsBody,
  atLeastOneOf(
    { required: ['items'], properties: { items: { minItems: 1 } } },
    { required: ['ids'], properties: { ids: { minItems: 1 } } },
  ),
)
