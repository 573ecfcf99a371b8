import type { SourceType } from '../books/book.ts'
import { pointOfNoReturn } from '../core/cancellation.ts'
import { AppError } from '../core/errors.ts'
import { FileStoreError, type FileStore } from '../files/store.ts'
import type { Upload, UploadStores } from './store.ts'
import type { FileStores } from '../files/store.ts'

const headBytes = 1024

/**
 * Looks at the file that arrived for an upload: there, of the declared size, and of its format by its first bytes.
 * Refuses otherwise with INVALID_INPUT and a `reason`; a wrong file is removed, so that the right one can be sent.
 * One that lies under `kept` was looked at by an earlier confirmation.
 */
export async function checkFile(
  { files, uploads }: FileStores & UploadStores,
  upload: Upload,
  { sourceType, kept }: { sourceType: SourceType; kept: string },
): Promise<void> {
  const { storageKey, bytes } = upload
  const found = await lookAt(files, storageKey)
  if (!found && (await files.head(kept))) return
  if (!found) throw refuse('UPLOAD_MISSING', 'The file has not arrived: PUT it to uploadUrl first, then confirm')
  const reason =
    found.bytes !== bytes ? 'UPLOAD_SIZE_MISMATCH' : hasMagic(found.head, sourceType) ? null : 'UPLOAD_TYPE_MISMATCH'
  if (reason === null) return
  pointOfNoReturn()
  await files.delete(storageKey)
  await uploads.setReceived(storageKey, null)
  if (reason === 'UPLOAD_SIZE_MISMATCH') {
    throw refuse(reason, `The file has ${found.bytes} bytes where ${bytes} were declared: PUT the whole file again`)
  }
  throw refuse(reason, `The file is not a ${sourceType} file by its content: PUT the right file, or start a new upload`)
}

/** Size and first bytes of a file; null when it is not there, also when it goes away meanwhile. */
async function lookAt(files: FileStore, key: string): Promise<{ bytes: number; head: Uint8Array } | null> {
  const found = await files.head(key)
  if (!found) return null
  try {
    return { bytes: found.bytes, head: await files.peek(key, headBytes) }
  } catch (error) {
    if (error instanceof FileStoreError && error.code === 'NOT_FOUND') return null
    throw error
  }
}

function refuse(reason: string, message: string): AppError {
  return new AppError('INVALID_INPUT', message, { details: { reason } })
}

/** True when the first bytes of a file can begin a file of the format. */
export function hasMagic(head: Uint8Array, sourceType: SourceType): boolean {
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
