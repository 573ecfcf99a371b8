import { readdir, lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { isAbsent, storageError } from './disk-errors.ts'
import { checkPrefix, isKey } from './keys.ts'
import type { ListedFile } from './store.ts'

/** The files below `root` whose key begins with `prefix`, in key order; names that are no keys are left out. */
export async function* listFolder(root: string, prefix: string): AsyncGenerator<ListedFile> {
  checkPrefix(prefix)
  yield* walk(root, prefix.slice(0, prefix.lastIndexOf('/') + 1), prefix)
}

async function* walk(root: string, folder: string, prefix: string): AsyncGenerator<ListedFile> {
  for (const name of await entries(join(root, folder))) {
    const key = folder + name
    if (name.endsWith('/')) {
      const related = key.startsWith(prefix) || prefix.startsWith(key)
      if (related && isKey(key.slice(0, -1))) yield* walk(root, key, prefix)
      continue
    }
    if (!key.startsWith(prefix) || !isKey(key)) continue
    const found = await lstat(join(root, key)).catch(() => null)
    // Gone since the folder was read: it is not there.
    if (found?.isFile()) yield { key, bytes: found.size, modifiedAt: found.mtime }
  }
}

// Folders end in a slash, so that sorting names sorts keys (`a.b` is before `a/b`).
async function entries(path: string): Promise<string[]> {
  try {
    const found = await readdir(path, { withFileTypes: true })
    return found.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort()
  } catch (error) {
    if (isAbsent(error)) return []
    throw storageError(error)
  }
}
