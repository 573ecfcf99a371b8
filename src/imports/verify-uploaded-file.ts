import type { FileFormat } from '../books/file-formats.ts'
import { headLength } from './formats/match-format.ts'
import { shield } from '../core/cancellation.ts'
import { AppError } from '../core/errors.ts'
import { FileStoreError, type FileStore } from '../files/store.ts'
import { contentProblem } from './unsupported-file.ts'
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
  const isComplete = file.bytes === bytes
  const problem = isComplete ? contentProblem(file.head, format) : null
  if (isComplete && problem === null) return
  shield()
  await files.delete(storageKey)
  await uploads.setReceivedAt(storageKey, null)
  if (problem !== null) throw invalidFileError('UPLOAD_TYPE_MISMATCH', problem)
  throw invalidFileError(
    'UPLOAD_SIZE_MISMATCH',
    `The file has ${file.bytes} bytes, but ${bytes} were declared: PUT the whole file again`,
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
