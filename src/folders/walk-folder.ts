import type { Dirent } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { formatOf } from '../books/file-formats.ts'
import { AppError } from '../core/errors.ts'
import { errnoOf } from '../files/disk-errors.ts'
import type { BookSource, FoundFile } from './book-source.ts'
import { isCalibreLibrary } from './is-calibre-library.ts'
import { shelfNameOfFolder } from './shelf-name.ts'
import { createTally, type Tally } from './tally.ts'

/** Names of files and folders that operating systems, network drives and programs create, in lower case. */
const systemNames = new Set([
  '$recycle.bin',
  '@eadir',
  '#recycle',
  '#snapshot',
  '__macosx',
  'desktop.ini',
  'lost+found',
  'system volume information',
  'thumbs.db',
])

/** True for hidden files, and those of systems and programs. */
function isIgnored(name: string): boolean {
  return name.startsWith('.') || name.startsWith('~$') || systemNames.has(name.toLowerCase())
}

interface Walk {
  /** With symbolic links resolved. */
  root: string
  files: FoundFile[]
  leftOut: Tally
}

/**
 * The files below a folder that could become books, in name order. Skips hidden and system files. A link to a file
 * inside the folder counts as that file; skips links out of it and links to folders.
 */
export async function walkFolder(folder: string): Promise<BookSource> {
  const walk: Walk = { root: await realpath(folder), files: [], leftOut: createTally() }
  await walkInto(walk, [])
  const { files, leftOut } = walk
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  return {
    total: { files: files.length, bytes },
    files: () => files,
    leftOut,
    notKept: createTally(),
    close: () => Promise.resolve(),
  }
}

async function walkInto(walk: Walk, folders: readonly string[]): Promise<void> {
  const path = join(walk.root, ...folders)
  const name = folders.join('/')
  let entries: Dirent[]
  try {
    entries = await readdir(path, { withFileTypes: true })
  } catch (error) {
    const code = errnoOf(error)
    if (folders.length === 0) throw new AppError('FORBIDDEN', `The folder ${path} cannot be read (${code}).`)
    walk.leftOut.add(`folders that cannot be read (${code})`, name)
    return
  }
  if (folders.length > 0 && (await isCalibreLibrary(path))) {
    walk.leftOut.add('Calibre libraries inside the folder: import each by itself, with its folder as --from', name)
    return
  }
  const shelf = shelfNameOfFolder(folders)
  const visible = entries.filter((entry) => !isIgnored(entry.name))
  for (const entry of visible.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.isDirectory()) await walkInto(walk, [...folders, entry.name])
    else await addFile(walk, entry, { folders, shelves: shelf === null ? [] : [shelf] })
  }
}

async function addFile(
  { root, files, leftOut }: Walk,
  entry: Dirent,
  { folders, shelves }: { folders: readonly string[]; shelves: string[] },
): Promise<void> {
  const name = [...folders, entry.name].join('/')
  const path = join(root, ...folders, entry.name)
  if (!entry.isFile() && !entry.isSymbolicLink()) return leftOut.add('no files (devices, sockets, pipes)', name)
  try {
    const target = entry.isSymbolicLink() ? await realpath(path) : path
    if (!target.startsWith(`${root}${sep}`)) return leftOut.add('links that lead out of the folder', name)
    const found = await stat(target)
    if (!found.isFile()) return leftOut.add('links to folders', name)
    if (formatOf(entry.name) === null) return leftOut.add(unreadFormat(entry.name), name)
    if (found.size === 0) return leftOut.add('empty files', name)
    files.push({ path: target, name, bytes: found.size, modifiedAt: found.mtimeMs, shelves, metadata: {} })
  } catch (error) {
    leftOut.add(`files that cannot be read (${errnoOf(error)})`, name)
  }
}

function unreadFormat(filename: string): string {
  const extension = extname(filename).toLowerCase()
  return extension === '' ? 'files without an extension' : `${extension} files, which Lectern does not read`
}
