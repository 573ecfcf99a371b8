import { z } from 'zod'
import { Count, Timestamp } from '../../core/field-types.ts'
import { nameSchema } from '../../core/schema-notes.ts'
import { ItemId } from '../../books/schema.ts'

export const GetRecognition = z.strictObject({ itemId: ItemId })
export type GetRecognition = z.infer<typeof GetRecognition>

export const RecognitionState = z.object({
  itemId: z.string(),
  status: z
    .enum(['none', 'waiting', 'running', 'done'])
    .describe('none: no page of the book needs it, or nothing recognises text here.'),
  pages: Count.describe('Pages without usable text.'),
  pagesDone: Count.describe('Of these, the pages that were read.'),
  pagesRecognised: Count.describe('Of these, the pages on which there was text.'),
  pagesSkipped: Count.describe('Pages beyond the limit of the server.'),
  updatedAt: Timestamp.nullable(),
})
export type RecognitionState = z.infer<typeof RecognitionState>
nameSchema(RecognitionState, 'Recognition', 'The recognition of the scanned pages of a book.')
