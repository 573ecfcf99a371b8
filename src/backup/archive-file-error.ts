import { StartError } from '../core/start-error.ts'
import { errnoOf } from '../files/disk-errors.ts'

/** Explanations of system errors by code. */
const reasons: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ENOENT: 'there is no such file',
    ENOTDIR: 'a part of the path is a file, not a folder',
    EISDIR: 'it is a folder',
    EACCES: 'this user does not have permission',
    EPERM: 'this user does not have permission',
    EROFS: 'its file system is read-only',
    ENOSPC: 'the disk is full',
    EDQUOT: 'the disk quota is used up',
  }),
)

/** Explains an error of an archive file in a sentence; returns any other error unchanged. */
export function explainArchiveFile(error: unknown, path: string): unknown {
  const errno = errnoOf(error)
  const at = error instanceof Error && 'path' in error ? error.path : undefined
  const isOfFile = at === undefined ? ['ENOSPC', 'EDQUOT', 'EISDIR'].includes(errno) : String(at).startsWith(path)
  const isInMissingFolder = errno === 'ENOENT' && at !== path
  const reason = isInMissingFolder ? 'its folder does not exist' : reasons.get(errno)
  if (reason === undefined || !isOfFile) return error
  return new StartError(`${path} cannot be used: ${reason} (${errno}). Name another file.`, { cause: error })
}
