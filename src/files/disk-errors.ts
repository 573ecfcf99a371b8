import { FileStoreError } from './store.ts'

/** The system's error code (`ENOENT`), or an empty string. */
export function errnoOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** Whether nothing is at the path: also where one of its folders is a file, or its end a symbolic link. */
export function isNotFound(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errnoOf(error))
}

/** A file system error as the store's own: `FULL` without space or quota, else `UNAVAILABLE`. */
export function wrapDiskError(error: unknown): FileStoreError {
  if (error instanceof FileStoreError) return error
  const errno = errnoOf(error)
  if (errno === 'ENOSPC' || errno === 'EDQUOT') {
    return new FileStoreError('FULL', 'The disk that holds the files is full.', { cause: error })
  }
  return new FileStoreError('UNAVAILABLE', `The disk that holds the files failed (${errno || 'unknown'}).`, {
    cause: error,
  })
}
