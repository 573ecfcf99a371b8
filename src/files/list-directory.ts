import { readdir, lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { isNotFound, wrapDiskError } from './disk-errors.ts'
import { requirePrefix, isKey } from './keys.ts'
import type { ListedFile } from './store.ts'

/** The files below `root` whose key starts with `prefix`, in key order; skips names that are not keys. */
export async function* listDirectory(root: string, prefix: string): AsyncGenerator<ListedFile> {
  requirePrefix(prefix)
  yield* walk(root, prefix.slice(0, prefix.lastIndexOf('/') + 1), prefix)
}

async function* walk(root: string, directory: string, prefix: string): AsyncGenerator<ListedFile> {
  for (const name of await sortedEntries(join(root, directory))) {
    const key = directory + name
    if (name.endsWith('/')) {
      const canContainPrefix = key.startsWith(prefix) || prefix.startsWith(key)
      if (canContainPrefix && isKey(key.slice(0, -1))) yield* walk(root, key, prefix)
      continue
    }
    if (!key.startsWith(prefix) || !isKey(key)) continue
    const stats = await lstat(join(root, key)).catch(() => null)
    // Null if the file was deleted since the folder was read.
    if (stats?.isFile()) yield { key, bytes: stats.size, modifiedAt: stats.mtime }
  }
}

// Folder names end in a slash, so that sorting names sorts keys (`a.b` before `a/b`).
async function sortedEntries(path: string): Promise<string[]> {
  try {
    const dirents = await readdir(path, { withFileTypes: true })
    return dirents.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort()
  } catch (error) {
    if (isNotFound(error)) return []
    throw wrapDiskError(error)
  }
}
