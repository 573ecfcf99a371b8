import { z } from 'zod'
import { readDate } from './query/filter-date.ts'
import { Count, Ordinal, Url } from '../core/field-types.ts'
import { nameSchema, noteSchema, visible } from '../core/schema-notes.ts'
import { hasAtMost } from '../core/has-at-most.ts'
import { Detail, wellFormed, QuotedFrom } from '../books/schema.ts'

const Query = noteSchema(
  wellFormed('query')
    .refine((value) => value.trim() !== '', 'query is required')
    .refine(
      (value) => hasAtMost(value, 500),
      'query must be at most 500 characters long: a sentence of a passage finds its page',
    )
    .meta({ minLength: 1, maxLength: 500 }),
  { pattern: visible },
)

const Cursor = z.string().max(100)
const maxBooks = 20

const FilterValue = z
  .string()
  .max(200)
  .refine((value) => /[\p{L}\p{N}]/u.test(value), 'a filter needs a letter or a digit')
  .optional()
const FilterDate = z
  .string()
  .refine((value) => readDate(value) !== null, 'a date is 2024, 2024-05 or 2024-05-31')
  .optional()

/** Filters of books. They mean the same as in a query, for example `title` is `title:"…"`. */
const filters = {
  title: FilterValue,
  author: FilterValue,
  shelf: FilterValue,
  in: FilterValue.describe('Only this book id.'),
  before: FilterDate.describe('Added earlier than this date: 2024-05.'),
  after: FilterDate,
}
export const SearchFilters = z.object(filters)
export type SearchFilters = z.infer<typeof SearchFilters>

const Like = z
  .string()
  .refine((value) => /^[\w-]{1,64}:\d{1,7}$/.test(value), 'like must be the id of a book and a page, as BOOKID:12')
  .optional()
  .describe('BOOKID:12 finds pages about the same as that page.')

interface SearchCriteria extends SearchFilters {
  query?: string | undefined
  like?: string | undefined
}

const wordsOrFilters = ({ query, like, ...otherFilters }: SearchCriteria) =>
  query !== undefined ||
  like !== undefined ||
  Object.keys(filters).some((name) => otherFilters[name as keyof SearchFilters] !== undefined)
const queryIsRequired = { error: 'query is required', path: ['query'] }
const querySyntax = '"A phrase", -word, word*; filters too: title:word.'

export const SearchItems = z
  .strictObject({
    query: Query.optional().describe(querySyntax),
    like: Like,
    ...filters,
    limit: z.int().min(1).max(maxBooks).default(10).describe('Books per response.'),
    cursor: Cursor.optional().describe('nextCursor of the previous part.'),
    detail: Detail.describe('detailed: three pages of each book, not one, and URLs.'),
  })
  .refine(wordsOrFilters, queryIsRequired)
export type SearchItems = z.infer<typeof SearchItems>

/** The REST route parses numbers from the query string. */
export const SearchItemsQuery = z
  .object({
    query: Query.optional().describe(querySyntax),
    like: Like,
    ...filters,
    // Agents do not need descriptions of these fields, but people do.
    title: FilterValue.describe('Only books with these words in their title.'),
    author: FilterValue.describe('Only books with these words in the name of their author.'),
    shelf: FilterValue.describe('Only books on the shelf with this slug or name.'),
    limit: noteSchema(z.coerce.number().pipe(z.int().min(1).max(maxBooks)), {
      type: 'integer',
      minimum: 1,
      maximum: maxBooks,
    })
      .default(10)
      .describe('Books per response.'),
    cursor: Cursor.optional().describe('nextCursor of the previous part.'),
  })
  .refine(wordsOrFilters, queryIsRequired)

const Hit = z.object({
  page: Ordinal,
  score: z.number().optional(),
  chapter: z.array(z.string()),
  snippet: z.string().describe('The best sentence or two, word for word.'),
  url: Url.optional(),
})
nameSchema(Hit, 'Hit', 'A passage that matches.')

const FoundBook = z.object({
  id: z.string(),
  title: z.string(),
  author: z.string().nullable(),
  pageCount: Count,
  score: z.number().describe('Higher is better.'),
  matched: Count.describe('Number of pages with most of the words.'),
  url: Url.optional(),
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
  note: z.string().optional().describe('Present if a filter names nothing, or why nothing was found: what helps.'),
  didYouMean: z
    .string()
    .optional()
    .describe('The query with likely mistakes of typing corrected; these were searched too.'),
  incomplete: z.string().optional().describe('Present if the search ended early: why, and what helps.'),
})
export type FoundItems = z.infer<typeof FoundItems>

export const SearchPages = z.strictObject({ query: Query.describe('"Quoted words" match as a phrase.') })
export type SearchPages = z.infer<typeof SearchPages>

/** The result format of ChatGPT connectors (`search`). */
export const FoundPages = z.object({
  results: z.array(z.object({ id: z.string(), title: z.string(), url: Url })),
})
export type FoundPages = z.infer<typeof FoundPages>
