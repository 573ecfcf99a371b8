import { z } from 'zod'
import { Timestamp } from '../core/field-types.ts'
import { nameSchema, noteSchema } from '../core/schema-notes.ts'
import { Item, ItemId } from './schema.ts'

export const DeletedItem = Item.omit({
  isSystem: true,
  isSubscribed: true,
  proOnly: true,
  locked: true,
  shelves: true,
  isWeeklyFeatured: true,
}).extend({
  bytes: z
    .int()
    .describe('What the original file and all versions take, bytes. They do not count against the storage.'),
  deletedAt: Timestamp,
  erasedAt: Timestamp.describe('When the book is erased. Until then it can be brought back.'),
})
export type DeletedItem = z.infer<typeof DeletedItem>
nameSchema(DeletedItem, 'DeletedBook', 'A deleted book, which can be brought back until it is erased.')

/** The format of this list's cursors: time and id of the last book. */
export const cursorPattern = /^([0-9a-z]{1,10})\.([\w-]{1,64})$/

export const ListDeletedItems = z.strictObject({
  cursor: z.string().max(100).optional().describe('nextCursor of the previous part.'),
  limit: z.int().min(1).max(200).default(100),
})
export type ListDeletedItems = z.infer<typeof ListDeletedItems>

export const ListDeletedItemsQuery = ListDeletedItems.extend({
  cursor: noteSchema(z.string().max(100), { pattern: cursorPattern.source })
    .optional()
    .describe('nextCursor of the previous part.'),
  limit: noteSchema(z.coerce.number().pipe(ListDeletedItems.shape.limit.unwrap()), {
    type: 'integer',
    minimum: 1,
    maximum: 200,
  }).default(100),
})

export const DeletedItemList = z.object({
  items: z.array(DeletedItem),
  nextCursor: z.string().optional().describe('Pass as cursor to get the next part.'),
})
export type DeletedItemList = z.infer<typeof DeletedItemList>

export const UndeleteItem = z.strictObject({ itemId: ItemId.describe('Id of a deleted book.') })
export type UndeleteItem = z.infer<typeof UndeleteItem>

export const UndeletedItem = Item.pick({
  id: true,
  title: true,
  status: true,
  health: true,
  healthReason: true,
  pageCount: true,
  shelves: true,
  quotedFrom: true,
})
export type UndeletedItem = z.infer<typeof UndeletedItem>

export const EraseDeletedItem = z.strictObject({ itemId: ItemId })
export type EraseDeletedItem = z.infer<typeof EraseDeletedItem>

export const ErasedItem = z.object({
  success: z.literal(true),
  storageErrors: z
    .array(z.string())
    .optional()
    .describe('The id, if a stored file could not be removed yet; the server tries again by itself.'),
})
export type ErasedItem = z.infer<typeof ErasedItem>
