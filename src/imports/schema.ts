import { z } from 'zod'
import { fileContentTypes, fileExtensions } from '../books/file-formats.ts'
import { Count, Timestamp, Url } from '../core/field-types.ts'
import { SentFile } from '../core/sent-file.ts'
import { nameSchema, noteSchema, visible } from '../core/schema-notes.ts'

const filenameRequired = 'filename is required'
const filenameTooLong = 'filename must be at most 1000 characters long'

export const CheckUpload = z.object({
  filename: noteSchema(
    z.string({ error: filenameRequired }).trim().min(1, filenameRequired).max(1000, filenameTooLong),
    {
      pattern: visible,
    },
  ),
  sha256: noteSchema(z.string().regex(/^[0-9a-f]{64}$/i, 'sha256 must be 64 hexadecimal digits'), {
    pattern: '^[0-9a-fA-F]{64}$',
  })
    .optional()
    .describe('Hex digest of the file; finds an identical one.'),
})
export type CheckUpload = z.infer<typeof CheckUpload>

const UploadCandidate = z.object({
  id: z.string(),
  title: z.string(),
  author: z.string().nullable(),
  status: z.string(),
  sourceType: z.string(),
  createdAt: Timestamp,
  score: z.number(),
})
nameSchema(UploadCandidate, 'UploadCandidate', 'A book that may already hold a file.')

export const UploadCandidates = z.object({
  candidates: z.array(UploadCandidate),
})
export type UploadCandidates = z.infer<typeof UploadCandidates>

const allRequired = 'filename, size and contentType are required'

/**
 * A file name with a visible character and the extension of a book. The use case checks that the content type matches
 * the extension.
 */
const bookFilename = `[^\\u0000-\\u0020\\u007f-\\u00a0][\\s\\S]*(?:${fileExtensions.map(inAnyCase).join('|')})\\s*$`

function inAnyCase(extension: string): string {
  return extension.replaceAll('.', '\\.').replaceAll(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`)
}

export const StartUpload = z.object({
  filename: noteSchema(z.string({ error: allRequired }), { format: 'book-filename', pattern: bookFilename })
    .min(1, allRequired)
    .max(1000, filenameTooLong)
    .refine((name) => name.isWellFormed(), 'filename must be well-formed Unicode (it holds a lone surrogate)')
    .describe(`Ends in ${fileExtensions.join(', ')}; also sets the title.`),
  size: z.int({ error: allRequired }).min(1, 'size must be a positive number of bytes'),
  contentType: noteSchema(z.string({ error: allRequired }), { enum: fileContentTypes }).describe(
    'The media type of that kind of file, for example application/pdf.',
  ),
})
export type StartUpload = z.infer<typeof StartUpload>

export const StartedUpload = z.object({
  itemId: z.string(),
  uploadUrl: Url.describe('PUT the file here with the declared Content-Type.'),
  storageKey: z.string(),
  expiresAt: Timestamp,
})
export type StartedUpload = z.infer<typeof StartedUpload>
nameSchema(StartedUpload, 'Upload', 'A book that waits for its file, and where to send it.')

/** The password of an encrypted file, used for one import. */
const FilePassword = z
  .string()
  .max(500)
  .optional()
  .describe('Opens an encrypted PDF; kept encrypted until the import ends.')

const confirmRequired = 'itemId and storageKey are required'

export const ConfirmUpload = z.object({
  itemId: z.string({ error: confirmRequired }).min(1, confirmRequired).max(64),
  storageKey: z
    .string({ error: confirmRequired })
    .min(1, confirmRequired)
    .regex(
      /^incoming\/[a-z0-9]{24,32}\/[a-z0-9]{24,32}\.(?:pdf|epub|md|txt|html|fb2|docx|odt|rtf|mobi|azw3|cbz)$/,
      'Invalid storageKey format',
    ),
  replacesItemId: z
    .string()
    .min(1)
    .max(64)
    .nullish()
    .describe('A book you own; it is removed once the new one is queued.'),
  password: FilePassword,
})
export type ConfirmUpload = z.infer<typeof ConfirmUpload>

export const ConfirmedUpload = z.object({
  item: z.object({ id: z.string(), title: z.string() }),
  job: z.object({ id: z.string(), status: z.string(), type: z.string() }),
  replacedItemId: z.string().nullable(),
})
export type ConfirmedUpload = z.infer<typeof ConfirmedUpload>

export const UploadFile = z.object({
  filename: StartUpload.shape.filename,
  file: SentFile.describe('The bytes of the file, as they are.'),
  replacesItemId: ConfirmUpload.shape.replacesItemId,
  password: FilePassword,
})
export type UploadFile = z.infer<typeof UploadFile>

const urlRequired = 'url is required: the address of a file, such as https://example.com/book.pdf'

export const ImportUrl = z.object({
  url: noteSchema(z.string({ error: urlRequired }).trim().min(1, urlRequired).max(2000), { format: 'uri' }).describe(
    'An https address, without a user name or password.',
  ),
  filename: StartUpload.shape.filename
    .optional()
    .describe('The name of the file with its ending, if the one that the address gives is not wanted.'),
  password: FilePassword,
})
export type ImportUrl = z.infer<typeof ImportUrl>

export const PresentedJob = z.object({
  id: z.string(),
  itemId: z.string(),
  type: z.enum(['import', 'reprocess']),
  status: z.enum(['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED']),
  progress: z.int().describe('Percent, 0 to 100.'),
  stage: z.string(),
  pages: z.object({ done: Count, total: Count.nullable() }).nullable(),
  error: z.string().nullable(),
  errorCode: z.string().nullable(),
  attempts: Count,
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type PresentedJob = z.infer<typeof PresentedJob>
nameSchema(PresentedJob, 'Job', 'The import of a file.')

export const JobList = z.object({ jobs: z.array(PresentedJob) })
export type JobList = z.infer<typeof JobList>

export const JobRef = z.strictObject({ jobId: z.string().min(1).max(64) })
export type JobRef = z.infer<typeof JobRef>

export const JobResult = z.object({ job: PresentedJob })
export type JobResult = z.infer<typeof JobResult>
