import { z } from 'zod'
import type { FormatLimits } from '../formats/format.ts'
import type { Box } from '../formats/picture/ink-components.ts'
import type { QuarterTurn } from '../formats/picture/prepare-scan.ts'
import { type FileFormat, fileFormats } from '../../books/file-formats.ts'
import { figureLimits } from '../formats/figures.ts'
import { maxPictureBytes } from './limits.ts'

/** The format as which a file is read; the info message reports the actual format. */
export const SourceType = z.enum(Object.keys(fileFormats) as [FileFormat, ...FileFormat[]])
export type SourceType = z.infer<typeof SourceType>

/** The types of files whose pages can be drawn. */
export type DrawnType = 'pdf' | 'epub' | 'comic' | 'picture'

/** Commands from the server to a reading process. */
export type ReaderCommand =
  /** Loads the modules for a format in advance. */
  | { type: 'preload'; sourceType: SourceType }
  /** The file channel then carries `bytes` bytes of the file. */
  | {
      type: 'read'
      bytes: number
      sourceType: SourceType
      password: string | null
      formatModule: string | null
      limits: FormatLimits
      /** Whether to send figures. */
      figures: boolean
    }
  /** Opens a file for drawing, in place of the previous one; the file channel then carries its `bytes` bytes. */
  | { type: 'open'; bytes: number; sourceType: DrawnType; limits: FormatLimits }
  /** Draws a page of the open file, at most `width` pixels wide; page 1 of an EPUB, MOBI or AZW3 is its cover. */
  | { type: 'draw'; page: number; width: number }
  /** Draws a page of the open PDF or comic in grey for text recognition, rotated clockwise by `turn` degrees. */
  | { type: 'scan'; page: number; turn: QuarterTurn }
  /** Draws only the letters of that page outside the boxes that were read. */
  | { type: 'scanRemaining'; page: number; turn: QuarterTurn; read: Box[] }
  /** Draws a collage of what may be isolated numbers outside the boxes that were read. */
  | { type: 'scanIsolated'; page: number; turn: QuarterTurn; read: Box[] }

/** The commands that are answered by a picture. */
export type DrawingCommand = Extract<ReaderCommand, { type: 'draw' | 'scan' | 'scanRemaining' | 'scanIsolated' }>

const maxPictureCharacters = Math.ceil(maxPictureBytes / 3) * 4
const maxFigureCharacters = Math.ceil(figureLimits.figureBytes / 3) * 4

const NullableText = z.string().nullable()

const BookInfo = z.object({
  title: NullableText,
  author: NullableText,
  language: NullableText,
  publisher: NullableText,
  isbn: NullableText,
  description: NullableText,
})

const ExtractedPage = z.object({
  content: z.string(),
  label: NullableText,
  picture: z.boolean(),
  garbled: z.number().min(0).max(1),
})

const TocEntry = z.object({ title: z.string(), page: z.number(), level: z.number() })

const FormatErrorCode = z.enum([
  'ENCRYPTED',
  'DRM',
  'BROKEN',
  'UNREAD_OFFICE',
  'TOO_LARGE',
  'TOO_DEEP',
  'EMPTY',
  'WRONG_PASSWORD',
])

const maxCoordinate = 65_535
const Coordinate = z.int().min(0).max(maxCoordinate)
const Place = z.object({ left: Coordinate, top: Coordinate, right: Coordinate, bottom: Coordinate })
const maxParts = 1000

/**
 * The messages of a reading process. Answers to `read`, in this order: opening (the whole file has arrived), info, any
 * number of pages and figures (each before the first page that refers to it, with its bytes in base64), any number of
 * toc, end. Answer to `open`: opened. Answer to a `DrawingCommand`: picture, with its bytes in base64, or without bytes
 * if `scanRemaining` or `scanIsolated` finds nothing; that of `scanIsolated` has `parts`. Instead of any of them, at any
 * time: failed. The process handles hostile files, so its messages are untrusted. `rss` is its own resident memory in
 * bytes.
 */
export const ReaderMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('opening') }),
  z.object({
    type: z.literal('info'),
    info: BookInfo,
    pageCount: z.int().min(0).nullable(),
    hasCover: z.boolean(),
    format: SourceType.nullable().default(null),
  }),
  z.object({ type: z.literal('pages'), pages: z.array(ExtractedPage).min(1), rss: z.number() }),
  z.object({ type: z.literal('figure'), data: z.base64().max(maxFigureCharacters) }),
  z.object({ type: z.literal('toc'), entries: z.array(TocEntry) }),
  z.object({ type: z.literal('end'), rss: z.number(), hasFormulas: z.boolean().default(false) }),
  z.object({ type: z.literal('opened') }),
  z.object({
    type: z.literal('picture'),
    data: z.base64().max(maxPictureCharacters),
    parts: z
      .array(z.object({ from: Place, to: Place }))
      .max(maxParts)
      .default([]),
  }),
  z.object({
    type: z.literal('failed'),
    code: z.enum([...FormatErrorCode.options, 'OUT_OF_MEMORY', 'CRASHED']),
    message: z.string(),
  }),
])
export type ReaderMessage = z.infer<typeof ReaderMessage>
