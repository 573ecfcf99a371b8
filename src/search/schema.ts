import { z } from 'zod'
import { Count, Ordinal, Url } from '../core/field-types.ts'
import { nameSchema, noteSchema, visible } from '../core/schema-notes.ts'
import { Detail, wellFormed, QuotedFrom } from '../books/schema.ts'

const Query = noteSchema(
  wellFormed('query')
    .refine((value) => value.trim() !== '', 'query is required')
    .refine((value) => [...value].length <= 500, 'query must be at most 500 characters long')
    .meta({ minLength: 1, maxLength: 500 }),
  { pattern: visible },
)

const Cursor = z.string().max(100)
const maxBooks = 20

export const SearchItems = z.strictObject({
  query: Query.describe('"Quoted words" match as a phrase.'),
  limit: z.int().min(1).max(maxBooks).default(10).describe('Books per response.'),
  cursor: Cursor.optional().describe('nextCursor of the previous part.'),
  detail: Detail.describe('detailed: passages from three pages of each book, not one.'),
})
export type SearchItems = z.infer<typeof SearchItems>

/** The REST route parses numbers from the query string. */
export const SearchItemsQuery = z.object({
  query: Query.describe('"Quoted words" match as a phrase.'),
  limit: noteSchema(z.coerce.number().pipe(z.int().min(1).max(maxBooks)), {
    type: 'integer',
    minimum: 1,
    maximum: maxBooks,
  }).default(10),
  cursor: Cursor.optional(),
})

const Hit = z.object({
  page: Ordinal,
  score: z.number(),
  chapter: z.array(z.string()),
  snippet: z.string(),
  url: Url,
})
nameSchema(Hit, 'Hit', 'A passage that matches.')

const FoundBook = z.object({
  id: z.string(),
  title: z.string(),
  author: z.string().nullable(),
  pageCount: Count,
  score: z.number().describe('Higher is better.'),
  matched: Count.describe('Number of pages with most of the words.'),
  url: Url,
  quotedFrom: QuotedFrom,
  alsoOn: z.array(Ordinal).optional().describe('Further matching pages, if only the best is shown.'),
  hits: z.array(Hit),
})
nameSchema(FoundBook, 'FoundBook', 'A book that matches, with its best passages.')

export const FoundItems = z.object({
  query: z.string(),
  items: z.array(FoundBook),
  total: Count.describe('Number of books with any of the words.'),
  nextCursor: z.string().optional(),
  relaxed: z.string().optional().describe('Present if no page has a quoted phrase: its words were searched.'),
  incomplete: z.string().optional().describe('Present if the search ended early: why, and what helps.'),
})
export type FoundItems = z.infer<typeof FoundItems>

export const SearchPages = SearchItems.pick({ query: true })
export type SearchPages = z.infer<typeof SearchPages>

/** The result format of ChatGPT connectors (`search`). */
export const FoundPages = z.object({
  results: z.array(z.object({ id: z.string(), title: z.string(), url: Url })),
})
export type FoundPages = z.infer<typeof FoundPages>
