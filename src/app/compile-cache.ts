import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join, resolve } from 'node:path'
import { openDataDirectory } from './data-directory.ts'

/**
 * Stores Node's compile cache in the data directory, which halves the duration of the next start. Node trusts cached
 * code, so the directory is writable by its owner only. Without such a directory there is no cache. `create: false`
 * uses a cache only if a server has created one.
 */
export function setUpCompileCache(dataDir = './data', { create = true }: { create?: boolean } = {}): void {
  try {
    const directory = resolve(dataDir)
    if (!create && !existsSync(join(directory, 'compiled'))) return
    if (openDataDirectory(directory) !== 'none') return
    // Worker threads read this variable.
    process.env['NODE_COMPILE_CACHE'] ??= join(directory, 'compiled')
    enableCompileCache(process.env['NODE_COMPILE_CACHE'])
  } catch {
    // A directory that cannot be created is reported where it is needed.
  }
}
