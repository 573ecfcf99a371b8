import { z } from 'zod'
import { ItemId } from '../books/schema.ts'
import type { FileAnswer } from '../core/file-answer.ts'

export const GetItemFile = z.strictObject({ itemId: ItemId })
export type GetItemFile = z.infer<typeof GetItemFile>

const ExportFormat = z.enum(['markdown', 'epub'], { error: 'format must be markdown or epub' })
export type ExportFormat = z.infer<typeof ExportFormat>

export const ExportItem = z.strictObject({ itemId: ItemId, format: ExportFormat.describe('markdown or epub') })
export type ExportItem = z.infer<typeof ExportItem>

/** A file instead of a JSON body: see `Route.file`. */
export const FileOutput = z.custom<FileAnswer>()
