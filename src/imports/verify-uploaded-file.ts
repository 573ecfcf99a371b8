import type { FileFormat } from '../books/file-formats.ts'
import { headLength, matchesFormat } from './formats/match-format.ts'
import { shield } from '../core/cancellation.ts'
import { AppError } from '../core/errors.ts'
import { FileStoreError, type FileStore } from '../files/store.ts'
import type { UploadReservation, UploadStores } from './store.ts'
import type { FileStores } from '../files/store.ts'

/**
 * Checks that the file of an upload exists, has the declared size and starts like its format. Throws INVALID_INPUT with
 * a `reason` otherwise, after deleting a wrong file so that the client can PUT the right one. A file that is already
 * stored under `originalKey` was checked by an earlier confirmation.
 */
export async function verifyUploadedFile(
  { files, uploads }: FileStores & UploadStores,
  upload: UploadReservation,
  { format, originalKey }: { format: FileFormat; originalKey: string },
): Promise<void> {
  const { storageKey, bytes } = upload
  const file = await inspectFile(files, storageKey)
  if (!file && (await files.head(originalKey))) return
  if (!file)
    throw invalidFileError('UPLOAD_MISSING', 'The file has not arrived: PUT it to uploadUrl first, then confirm')
  const reason =
    file.bytes !== bytes ? 'UPLOAD_SIZE_MISMATCH' : matchesFormat(file.head, format) ? null : 'UPLOAD_TYPE_MISMATCH'
  if (reason === null) return
  shield()
  await files.delete(storageKey)
  await uploads.setReceivedAt(storageKey, null)
  if (reason === 'UPLOAD_SIZE_MISMATCH') {
    throw invalidFileError(
      reason,
      `The file has ${file.bytes} bytes, but ${bytes} were declared: PUT the whole file again`,
    )
  }
  throw invalidFileError(
    reason,
    `The content is not that of a ${format} file: PUT the right file, or start a new upload`,
  )
}

/** The size and first bytes of a file; null if it does not exist or has been deleted in the meantime. */
async function inspectFile(files: FileStore, key: string): Promise<{ bytes: number; head: Uint8Array } | null> {
  const stats = await files.head(key)
  if (!stats) return null
  try {
    return { bytes: stats.bytes, head: await files.peek(key, headLength) }
  } catch (error) {
    if (error instanceof FileStoreError && error.code === 'NOT_FOUND') return null
    throw error
  }
}

function invalidFileError(reason: string, message: string): AppError {
  return new AppError('INVALID_INPUT', message, { details: { reason } })
}
