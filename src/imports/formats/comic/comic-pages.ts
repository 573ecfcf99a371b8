import { FormatError } from '../format.ts'
import type { Archive } from '../zip/open-zip.ts'

const picture = /\.(?:jpe?g|jfif|png|gif|webp)$/i
const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
const maxPictureBytes = 24 * 1024 * 1024

/**
 * The pictures of a comic archive in page order: by the names of folders and files without endings, with numbers
 * compared by value. Empty if the archive consists mostly of other files.
 */
export function comicPages(paths: readonly string[]): string[] {
  const files = paths.filter((path) => !/(?:^|\/)(?:__MACOSX\/|\.)|(?:^|\/)(?:Thumbs\.db|desktop\.ini)$/i.test(path))
  const pages = files.flatMap((path) => (picture.test(path) ? [{ path, names: namesIn(path) }] : []))
  if (pages.length * 2 < files.length) return []
  return pages.toSorted(compareNames).map(({ path }) => path)
}

interface NamedPage {
  path: string
  names: readonly string[]
}

/** The names in a path without the ending, because `1.jpg` precedes `1.5.jpg` and `1-2.jpg`. */
function namesIn(path: string): string[] {
  return path.replace(picture, '').split('/')
}

/** Compares name by name, because the folder `1` precedes the folder `1.5`. */
function compareNames(one: NamedPage, other: NamedPage): number {
  for (const [at, name] of one.names.entries()) {
    const order = byName.compare(name, other.names[at] ?? '')
    if (order !== 0) return order
  }
  return one.names.length - other.names.length || (one.path < other.path ? -1 : 1)
}

/** The bytes of a page, from 1. Throws `EMPTY` for an unknown page, `BROKEN` and `TOO_LARGE`. */
export async function readComicPage(archive: Archive, page: number): Promise<Uint8Array> {
  const path = comicPages(archive.paths)[page - 1]
  if (path === undefined) throw new FormatError('EMPTY', `no page ${page} in the comic`)
  return archive.readPicture(path, maxPictureBytes)
}

/** The bytes of one picture of a comic, at most 24 MB and `maxBytes`. */
export function readComicPicture(archive: Archive, path: string, maxBytes: number): Promise<Uint8Array> {
  return archive.readPicture(path, Math.min(maxPictureBytes, maxBytes))
}
