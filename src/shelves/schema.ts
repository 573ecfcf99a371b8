import { z } from 'zod'
import { Count } from '../core/field-types.ts'
import { nameSchema, noteSchema, sluggable } from '../core/schema-notes.ts'
import { hasAtMost } from '../core/has-at-most.ts'
import { Detail, ItemList, WholeItemList } from '../books/schema.ts'
import { cleanName } from '../runtime/clean-name.ts'
import { slugify } from '../text/slugify.ts'

export const Shelf = z.object({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  color: z.string().nullable().describe('#RRGGBB'),
  position: Count,
  itemCount: Count,
})
export type Shelf = z.infer<typeof Shelf>
nameSchema(Shelf, 'Shelf', 'A named, ordered place for books.')

const PageParams = {
  cursor: z.string().max(40).optional().describe('nextCursor of the previous part.'),
  limit: z.int().min(1).max(500).optional(),
}

export const ListShelves = z.strictObject(PageParams)
export type ListShelves = z.infer<typeof ListShelves>

export const NoQuery = z.object({})

export const ShelfList = z.object({
  shelves: z.array(Shelf),
  total: Count.optional().describe('Number of all shelves, if the list is truncated.'),
  nextCursor: z.string().optional().describe('Pass as cursor to get the next part.'),
})
export type ShelfList = z.infer<typeof ShelfList>

/** The output over REST: all shelves. */
export const WholeShelfList = ShelfList.pick({ shelves: true })

const ShelfRef = z.string().min(1).describe('Shelf id or slug.')

export const ShelfRequest = z.strictObject({ shelf: ShelfRef })
export type ShelfRequest = z.infer<typeof ShelfRequest>

export const GetShelf = z.strictObject({ shelf: ShelfRef, ...PageParams, detail: Detail })
export type GetShelf = z.infer<typeof GetShelf>

export const ShelfView = z.object({ shelf: Shelf, ...ItemList.shape })
export type ShelfView = z.infer<typeof ShelfView>

/** The output over REST: complete books, without paging. */
export const WholeShelfView = z.object({ shelf: Shelf, ...WholeItemList.shape })

const nameInvalid = {
  error: 'Invalid shelf name: use at least one letter or digit',
  params: { errorCode: 'SHELF_NAME_INVALID' },
}

function shelfName(message: string) {
  return noteSchema(z.string({ error: message }), { minLength: 1, maxLength: 50, ...sluggable })
    .transform(cleanName)
    .refine((name) => name !== '' && hasAtMost(name, 50) && name.isWellFormed(), { error: message, abort: true })
    .refine((name) => slugify(name) !== '', nameInvalid)
    .meta({ minLength: 1, maxLength: 50 })
}

const colorPattern = /^#[0-9a-f]{6}$/i

/** An invalid colour counts as omitted (contract, POST /shelves). */
function parseColor(color: unknown): string | undefined {
  return typeof color === 'string' && colorPattern.test(color) ? color : undefined
}

const Color = z.unknown().transform(parseColor).meta({ type: 'string', description: '#RRGGBB' })

/** Over MCP, where null counts as omitted, `none` clears the colour. */
const ColorOrNone = z
  .unknown()
  .transform((color) => (color === 'none' ? null : parseColor(color)))
  .meta({ type: 'string', description: '#RRGGBB, or none.' })

export const CreateShelf = z.strictObject({
  name: shelfName('Name is required and must be 50 characters or less'),
  color: Color.optional(),
})
export type CreateShelf = z.infer<typeof CreateShelf>

const position = 'Position must be a non-negative integer'

export const UpdateShelf = z.strictObject({
  shelf: ShelfRef,
  name: shelfName('Name must be 1-50 characters').optional(),
  color: z.union([z.null(), ColorOrNone]).optional(),
  position: z.int({ error: position }).min(0, position).optional().describe('0-based; the other shelves move.'),
})
export type UpdateShelf = z.infer<typeof UpdateShelf>

export const Success = z.object({ success: z.literal(true) })
export type Success = z.infer<typeof Success>

const idsRequired = 'itemIds must be a non-empty array of strings'
const tooMany = { error: 'Too many items in one request (max 200)', params: { errorCode: 'BATCH_TOO_LARGE' } }

export const ShelfBooks = z.strictObject({
  shelf: ShelfRef,
  itemIds: z
    .array(z.string({ error: idsRequired }), { error: idsRequired })
    .min(1, idsRequired)
    .refine((ids) => ids.length <= 200, tooMany)
    .meta({ maxItems: 200 }),
})
export type ShelfBooks = z.infer<typeof ShelfBooks>

export const AddedToShelf = z.object({
  added: z.array(z.string()).describe('Ids of the books that are newly on the shelf.'),
  notFound: z.array(z.string()),
})
export type AddedToShelf = z.infer<typeof AddedToShelf>

const queryRequired = 'itemIds query param is required'
const queryTooLong = {
  error: 'itemIds query string is too long: at most 8192 characters',
  params: { errorCode: 'QUERY_TOO_LONG' },
  abort: true,
}

/** For the REST route, which takes the ids as one comma-separated text. */
export const ShelfBooksQuery = z.object({
  shelf: ShelfRef,
  itemIds: noteSchema(z.string({ error: queryRequired }), { pattern: '[^,\\s]', maxLength: 8192 })
    .refine((text) => text.length <= 8192, queryTooLong)
    .transform((text) =>
      text
        .split(',')
        .map((id) => id.trim())
        .filter((id) => id !== ''),
    )
    .refine((ids) => ids.length > 0, queryRequired)
    .refine((ids) => ids.length <= 200, tooMany)
    .describe('Up to 200 ids, separated by commas.'),
})

export const RemovedFromShelf = z.object({ removed: Count })
export type RemovedFromShelf = z.infer<typeof RemovedFromShelf>
