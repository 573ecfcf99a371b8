import { z } from 'zod'
import { wellFormed } from '../books/schema.ts'

const Query = wellFormed('query')
  .refine((value) => value.trim() !== '', 'query is required')
  .refine((value) => [...value].length <= 500, 'query must be at most 500 characters long')

const Cursor = z.string().max(100)
const mostBooks = 20

export const SearchItems = z.strictObject({
  query: Query.describe('1 to 500 characters; "quoted words" must stand together.'),
  limit: z.int().min(1).max(mostBooks).default(10).describe('Books in an answer.'),
  cursor: Cursor.optional().describe('nextCursor of the previous part.'),
})
export type SearchItems = z.infer<typeof SearchItems>

/** The route reads its numbers from text. */
export const SearchItemsQuery = z.object({
  query: Query.describe('1 to 500 characters; "quoted words" must stand together.'),
  limit: z.coerce.number().pipe(z.int().min(1).max(mostBooks)).default(10),
  cursor: Cursor.optional(),
})

export const FoundItems = z.object({
  query: z.string(),
  items: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      author: z.string().nullable(),
      pageCount: z.int(),
      score: z.number().describe('Higher is better.'),
      matched: z.int().describe('Pages that match.'),
      hits: z.array(z.object({ page: z.int(), chapter: z.array(z.string()), snippet: z.string() })),
    }),
  ),
  total: z.int().describe('Books that match.'),
  nextCursor: z.string().optional(),
})
export type FoundItems = z.infer<typeof FoundItems>
