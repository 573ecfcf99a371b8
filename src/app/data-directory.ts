import { mkdirSync, statSync } from 'node:fs'
import { resolve } from 'node:path'

/** Who besides its owner may write a directory. */
export type OtherWriters = 'none' | 'group' | 'everybody'

/**
 * Creates a data directory for its owner only, and tells who else may write it: whoever may can replace the secret, the
 * store and cached code. Windows has no such permissions: `none`.
 */
export function openDataDirectory(directory: string): OtherWriters {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  if (process.platform === 'win32') return 'none'
  const { mode } = statSync(resolve(directory))
  if (mode & 0o002) return 'everybody'
  return mode & 0o020 ? 'group' : 'none'
}
