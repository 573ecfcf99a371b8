import { z } from 'zod'
import { Count, Ordinal, Timestamp, Url } from '../core/field-types.ts'
import { nameSchema, noteSchema, slugOrId, visible } from '../core/schema-notes.ts'
import { hasAtMost } from '../core/has-at-most.ts'
import { cleanName } from '../runtime/clean-name.ts'

export const ItemId = z.string().min(1).max(64)

/** The accounts whose words an object quotes; models treat those as data. Absent: the caller's own words. */
export const QuotedFrom = z.string().optional()

export const Item = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  author: z.string().nullable(),
  sourceType: z.enum(['pdf', 'epub', 'markdown']),
  fileFormat: z.string().optional().describe('What the file is, where sourceType does not say it: docx, html, …'),
  status: z.enum(['DRAFT', 'PROCESSING', 'READY', 'FAILED']),
  needsEnrichment: z.boolean(),
  enrichmentConfidence: z.number(),
  pageCount: Count,
  health: z.enum(['ok', 'partial', 'empty', 'unreadable', 'failed', 'stuck', 'needs_confirmation']),
  healthReason: z.string().nullable(),
  isSystem: z.boolean(),
  isSubscribed: z.boolean(),
  proOnly: z.boolean(),
  locked: z.boolean(),
  shelves: z.array(z.object({ id: z.string(), slug: z.string(), name: z.string() })),
  enrichedAt: Timestamp.nullable(),
  metadataConfirmedAt: Timestamp.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  isWeeklyFeatured: z.boolean(),
  quotedFrom: QuotedFrom,
  pagesReady: Count.optional().describe(
    'While the import is not finished: the number of pages that can be read already.',
  ),
  pagesExpected: Count.optional(),
})
export type Item = z.infer<typeof Item>
nameSchema(Item, 'Book', 'A book of the library.')

const QueuedBook = z.object({ id: z.string(), title: z.string(), pageCount: Count, quotedFrom: QuotedFrom })
nameSchema(QueuedBook, 'QueuedBook', 'A book that needs better metadata.')

const EnrichmentQueue = z.array(QueuedBook)

/** A concise item, for lists that would be too large with full items. */
export const ItemSummary = Item.pick({
  id: true,
  title: true,
  author: true,
  sourceType: true,
  fileFormat: true,
  status: true,
  pageCount: true,
  locked: true,
  quotedFrom: true,
  pagesReady: true,
  pagesExpected: true,
}).partial({ author: true, locked: true })
export type ItemSummary = z.infer<typeof ItemSummary>

export const ItemList = z.object({
  items: z.array(z.union([Item, ItemSummary])),
  enrichmentQueue: EnrichmentQueue.nullable(),
  pickUrl: Url.optional(),
  note: z.string().optional().describe('Why the list is empty, if the shelf is unknown.'),
  total: Count.optional().describe('Number of all matching books; present with short rows.'),
  nextCursor: z.string().optional().describe('Pass as cursor to get the next part.'),
})
export type ItemList = z.infer<typeof ItemList>

/** The output over REST: complete books, without paging. */
export const WholeItemList = ItemList.omit({ note: true, total: true, nextCursor: true }).extend({
  items: z.array(Item),
})

const shelfPattern = /^[\p{L}\p{N}_-]{1,64}$/u
const shelfError = { error: 'Invalid shelf parameter', params: { errorCode: 'SHELF_PARAM_INVALID' } }

/** `concise` (default over MCP) has the fields needed to choose a book. */
export const Detail = z.enum(['concise', 'detailed']).optional().describe('detailed: every field.')

export const ListItems = z.strictObject({
  shelf: noteSchema(
    z.string().refine((value) => shelfPattern.test(value), shelfError),
    slugOrId,
  )
    .optional()
    .describe('Shelf slug or id.'),
  cursor: z.string().max(40).optional().describe('nextCursor of the previous part.'),
  limit: z.int().min(1).max(500).optional(),
  detail: Detail,
})
export type ListItems = z.infer<typeof ListItems>

/** The REST route has only the shelf filter and no paging. */
export const ListItemsQuery = ListItems.pick({ shelf: true })

export const maxContentBytes = 1_000_000
export const maxPages = 1_000

const contentTooLarge = {
  error: `content exceeds ${maxContentBytes} bytes per request. Create the book with the first part and append the rest.`,
  params: { errorCode: 'PAYLOAD_TOO_LARGE' },
}

/** A string without lone surrogates, which UTF-8 cannot encode. */
export function wellFormed(name: string) {
  return z
    .string({ error: (issue) => (issue.input === undefined ? `${name} is required` : `${name} must be a string`) })
    .refine((value) => value.isWellFormed(), `${name} must be well-formed Unicode (it holds a lone surrogate)`)
}

export const Title = noteSchema(wellFormed('title').meta({ minLength: 1, maxLength: 200 }), { pattern: visible })
  .transform(cleanName)
  .refine((title) => title !== '', 'title is required')
  .refine((title) => hasAtMost(title, 200), 'title must be at most 200 characters long')

export const Content = noteSchema(
  wellFormed('content').refine((value) => Buffer.byteLength(value) <= maxContentBytes, contentTooLarge),
  { maxLength: maxContentBytes },
)

export const CreateMarkdownItem = z.strictObject({
  title: Title,
  description: wellFormed('description')
    .refine((value) => hasAtMost(value, 4000), 'description must be at most 4000 characters long')
    .meta({ maxLength: 4000 })
    .nullish(),
  content: Content.optional().describe('Markdown, up to 1,000,000 bytes; each top-level "# " heading starts a page.'),
})
export type CreateMarkdownItem = z.infer<typeof CreateMarkdownItem>

export const CreatedItem = z.object({
  id: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  sourceType: z.literal('markdown'),
  status: z.literal('READY'),
  pageCount: Count,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type CreatedItem = z.infer<typeof CreatedItem>
nameSchema(CreatedItem, 'CreatedBook', 'A new Markdown book.')

const idsRequired = 'ids array is required'

export const DeleteItems = z.strictObject({
  ids: z.array(ItemId).min(1).max(50).describe('Ids of books you own.'),
})
export type DeleteItems = z.infer<typeof DeleteItems>

/** For the route, which accepts any number of ids and has the contract's messages. */
export const DeleteItemsBody = z.object({
  ids: z.array(z.string({ error: 'ids must be strings' }), { error: idsRequired }).min(1, idsRequired),
})

export const DeletedItems = z.object({
  deleted: z.array(z.string()),
  notFound: z.array(z.string()),
  storageErrors: z.array(z.string()).optional().describe('Ids of books whose stored file could not be removed.'),
})
export type DeletedItems = z.infer<typeof DeletedItems>

export const LibrarySummary = z.object({
  tier: z.string(),
  itemCount: Count,
  itemLimit: Count,
  monthlyReadsUsed: Count,
  monthlyReadLimit: Count.nullable(),
  readyCount: Count,
  lockedCount: Count,
  pageCount: Count,
  bySourceType: z.object({ pdf: Count, epub: Count, markdown: Count }),
  needAttention: z.array(
    z.object({ id: z.string(), title: z.string(), health: z.string(), status: z.string(), quotedFrom: QuotedFrom }),
  ),
  enrichmentQueueLength: Count,
  shelfCount: Count,
  shelves: z
    .array(z.object({ name: z.string(), slug: z.string(), itemCount: Count }))
    .describe('The first shelves in display order.'),
  recent: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      author: z.string().nullable(),
      pageCount: Count,
      quotedFrom: QuotedFrom,
    }),
  ),
  continueReading: z
    .array(
      z.object({
        id: z.string(),
        title: z.string(),
        page: Ordinal,
        of: Ordinal,
        at: Timestamp,
        quotedFrom: QuotedFrom,
      }),
    )
    .optional()
    .describe('Books that the user is in the middle of reading, latest first.'),
})
export type LibrarySummary = z.infer<typeof LibrarySummary>
