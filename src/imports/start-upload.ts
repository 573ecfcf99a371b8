import { contentTypesOf, type FileFormat, fileFormats, formatOf } from '../books/file-formats.ts'
import { addNewBook } from '../books/add-new-book.ts'
import { newBook } from '../books/new-book.ts'
import { fileFolders } from '../books/remove-book.ts'
import { requireStorage } from '../books/storage-limit.ts'
import { withSlot } from '../books/with-slot.ts'
import { AppError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { titleFromFilename } from './title-from-filename.ts'
import { unsupportedName } from './unsupported-file.ts'
import type { StartedUpload, StartUpload } from './schema.ts'
import type { QueueServices } from './queue.ts'
import { requireQueueCapacity } from './require-queue-capacity.ts'
import type { JobStores, UploadReservation, UploadStores } from './store.ts'
import type { Call, PublicAddress } from '../core/context.ts'
import type { CreationStores } from '../books/with-slot.ts'
import type { AccountStores } from '../accounts/store.ts'
import type { FileStores } from '../files/store.ts'
import type { BookStores } from '../books/store.ts'

const uploadUrlTtlMs = 15 * 60 * 1000

/**
 * Reserves a book and a library slot for a file, and returns the signed upload URL. Throws INVALID_INPUT, RATE_LIMITED
 * (`requireQueueCapacity`) and PLAN_LIMIT_EXCEEDED. With an Idempotency-Key, a retry returns a new URL for the same book.
 */
export async function startUpload(
  ctx: Call & CreationStores & UploadStores & JobStores & QueueServices & PublicAddress,
  { filename, size, contentType }: StartUpload,
): Promise<StartedUpload> {
  const format = requireSupportedFile(ctx, { filename, size, contentType })
  await requireQueueCapacity(ctx)
  ctx.queue.expect({ accountId: ctx.actor.id, format })
  const itemId = ctx.newId()
  const createdAt = ctx.now()
  const upload: UploadReservation = {
    itemId,
    accountId: ctx.actor.id,
    storageKey: `${fileFolders.incoming}/${itemId}/${newId(createdAt)}${fileFormats[format].extensions[0]}`,
    filename: filename.trim(),
    contentType,
    bytes: size,
    expiresAt: new Date(createdAt.getTime() + uploadUrlTtlMs),
    receivedAt: null,
    createdAt,
  }
  const isRetry = ctx.idempotencyKey !== null && (await ctx.books.findOwned(ctx.actor.id, [itemId])).length > 0
  return isRetry ? saveReservation(ctx, upload) : withSlot(ctx, itemId, () => saveReservation(ctx, upload, format))
}

/** Stores the reservation, adds its book unless an earlier attempt did (no `format`), and signs the URL. */
async function saveReservation(
  ctx: Call & FileStores & UploadStores & BookStores & AccountStores & PublicAddress,
  upload: UploadReservation,
  format?: FileFormat,
): Promise<StartedUpload> {
  const { itemId, storageKey, contentType, bytes, expiresAt, createdAt, filename } = upload
  const { url } = await ctx.files.createUploadUrl({ key: storageKey, contentType, size: bytes, expiresAt })
  await ctx.uploads.put(upload)
  if (format) {
    const { sourceType } = fileFormats[format]
    const title = titleFromFilename(filename)
    const draft = { id: itemId, ownerId: ctx.actor.id, title, sourceType, status: 'DRAFT' as const, createdAt }
    const fileFormat = format === sourceType ? {} : { fileFormat: format }
    // The reservation counts before the check, so that concurrent uploads cannot exceed the limit together.
    await addNewBook(ctx.books, newBook({ ...draft, ...fileFormat, storedBytes: bytes }))
    await requireStorage(ctx, 0)
  }
  return { itemId, uploadUrl: url, storageKey, expiresAt: expiresAt.toISOString() }
}

/** Returns the format of a file by its name. Throws INVALID_INPUT with the accepted types. */
export function requireBookName(filename: string): FileFormat {
  const format = formatOf(filename)
  if (!format) throw unsupportedName(filename)
  const stem = filename.trim().replace(/\.[^.]*$/, '')
  if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(stem)) throw invalidInputError('filename must contain a visible character')
  return format
}

/** Returns the format of a declared file by its name. Throws INVALID_INPUT with the accepted types or size. */
function requireSupportedFile(ctx: Call, { filename, size, contentType }: StartUpload): FileFormat {
  const format = requireBookName(filename)
  const accepted = contentTypesOf(format)
  if (!accepted.includes(contentType)) {
    throw invalidInputError(`Invalid content type for the file type: send a ${format} file as ${accepted.join(' or ')}`)
  }
  const { uploadMb, tierDisplay } = ctx.actor.plan
  if (size > uploadMb * 1024 * 1024) {
    throw invalidInputError(`The file is larger than ${uploadMb} MB, the limit of the ${tierDisplay} plan`)
  }
  return format
}

function invalidInputError(message: string): AppError {
  return new AppError('INVALID_INPUT', message)
}
