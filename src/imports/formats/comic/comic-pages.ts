import { FormatError } from '../format.ts'
import type { Archive } from '../zip/open-zip.ts'

const picture = /\.(?:jpe?g|jfif|png|gif|webp)$/i
const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
const maxPictureBytes = 24 * 1024 * 1024

/**
 * The pictures of a comic archive in page order: by folder and name, with numbers compared by value. Empty if the
 * archive consists mostly of other files.
 */
export function comicPages(paths: readonly string[]): string[] {
  const files = paths.filter((path) => !/(?:^|\/)(?:__MACOSX\/|\.)|(?:^|\/)(?:Thumbs\.db|desktop\.ini)$/i.test(path))
  const pages = files.filter((path) => picture.test(path))
  if (pages.length * 2 < files.length) return []
  return pages.toSorted((one, other) => byName.compare(sortKey(one), sortKey(other)) || (one < other ? -1 : 1))
}

/** A sort key that puts files of a folder before its subfolders: the slash sorts before all other characters. */
function sortKey(path: string): string {
  return path.replaceAll('/', '\u0001')
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
