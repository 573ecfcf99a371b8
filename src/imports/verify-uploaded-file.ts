import type { SourceType } from '../books/book.ts'
import { shield } from '../core/cancellation.ts'
import { AppError } from '../core/errors.ts'
import { FileStoreError, type FileStore } from '../files/store.ts'
import type { UploadReservation, UploadStores } from './store.ts'
import type { FileStores } from '../files/store.ts'

const headLength = 1024

/**
 * Looks at the file that arrived for an upload: there, of the declared size, and of its format by its first bytes.
 * Refuses otherwise with INVALID_INPUT and a `reason`; a wrong file is removed, so that the right one can be sent.
 * One that lies under `kept` was looked at by an earlier confirmation.
 */
export async function verifyUploadedFile(
  { files, uploads }: FileStores & UploadStores,
  upload: UploadReservation,
  { sourceType, kept: originalKey }: { sourceType: SourceType; kept: string },
): Promise<void> {
  const { storageKey, bytes } = upload
  const file = await inspectFile(files, storageKey)
  if (!file && (await files.head(originalKey))) return
  if (!file)
    throw invalidFileError('UPLOAD_MISSING', 'The file has not arrived: PUT it to uploadUrl first, then confirm')
  const reason =
    file.bytes !== bytes ? 'UPLOAD_SIZE_MISMATCH' : hasMagicBytes(file.head, sourceType) ? null : 'UPLOAD_TYPE_MISMATCH'
  if (reason === null) return
  shield()
  await files.delete(storageKey)
  await uploads.setReceivedAt(storageKey, null)
  if (reason === 'UPLOAD_SIZE_MISMATCH') {
    throw invalidFileError(
      reason,
      `The file has ${file.bytes} bytes where ${bytes} were declared: PUT the whole file again`,
    )
  }
  throw invalidFileError(
    reason,
    `The file is not a ${sourceType} file by its content: PUT the right file, or start a new upload`,
  )
}

/** Size and first bytes of a file; null when it is not there, also when it goes away meanwhile. */
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

/** True when the first bytes of a file can begin a file of the format. */
export function hasMagicBytes(head: Uint8Array, sourceType: SourceType): boolean {
  const text = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('latin1')
  switch (sourceType) {
    case 'pdf':
      return text.includes('%PDF-')
    case 'epub':
      return text.startsWith('PK\u0003\u0004')
    case 'markdown':
      return isText(text)
  }
}

/** UTF-16 with a byte order mark holds zero bytes and is text all the same. */
function isText(text: string): boolean {
  return text.startsWith('\u00ff\u00fe') || text.startsWith('\u00fe\u00ff') || !text.includes('\u0000')
}
