import { z } from 'zod'
import { ItemId } from '../../books/schema.ts'
import type { FileAnswer } from '../../core/file-answer.ts'
import { maxOrdinal } from '../../core/field-types.ts'
import { noteSchema } from '../../core/schema-notes.ts'
import { isFigureId } from '../../text/figure-markers.ts'

const FigureId = z
  .string()
  .refine(isFigureId, 'figure must be the ID of a marker ![caption](figure:ID) in the text of the page')

export const GetFigure = z.strictObject({
  itemId: ItemId,
  page: z.int().min(1).max(maxOrdinal),
  figure: FigureId.optional().describe('ID in the marker.'),
})
export type GetFigure = z.infer<typeof GetFigure>

/** In the path of the REST route, the number is a text. */
export const GetFigureRequest = GetFigure.extend({
  page: noteSchema(z.string().regex(/^[1-9]\d{0,8}$/, 'page must be a page number, 1 or more'), {
    type: 'integer',
    minimum: 1,
    maximum: maxOrdinal,
    pattern: undefined,
  }).transform(Number),
})

/** A picture, sent as a file over REST and as image content over MCP. */
export interface PictureAnswer extends FileAnswer {
  bytes: Uint8Array
}

/** A file instead of a JSON body: see `Route.file`. */
export const PictureOutput = z.custom<PictureAnswer>()
