import { z } from 'zod'
import { Content, ItemId } from '../books/schema.ts'

/** A page number, or a new page at the `start` or the `end`. */
const DraftPlace = z.string().regex(/^(?:[1-9]\d{0,8}|start|end)$/, 'place must be a page number, start or end')

export const DraftRef = z.strictObject({ id: ItemId, place: DraftPlace })
export type DraftRef = z.infer<typeof DraftRef>

export const SaveDraft = DraftRef.extend({
  content: Content,
  /** The version that the text is based on. */
  version: z.coerce.number().pipe(z.int().min(0)),
  /** The revision of the draft that this one replaces; empty: there is none. */
  revision: z.string().max(64),
})
export type SaveDraft = z.infer<typeof SaveDraft>
