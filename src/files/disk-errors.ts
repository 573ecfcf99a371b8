import { FileStoreError } from './store.ts'

/** The system error code of an error, such as `ENOENT`, or an empty string. */
export function errnoOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** True if the path does not exist, including if one of its folders is a file or its last part is a symbolic link. */
export function isNotFound(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errnoOf(error))
}

/** Converts a file system error to a `FileStoreError`: `FULL` without space or quota, otherwise `UNAVAILABLE`. */
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
