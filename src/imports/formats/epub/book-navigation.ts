import type { TocEntry } from '../format.ts'
import { FormatError } from '../format.ts'
import type { Archive } from '../zip/open-zip.ts'
import { readNav, readNcx } from './navigation.ts'
import type { Navigation } from './navigation.ts'
import type { BookPackage } from './package.ts'
import type { PathResolver, HrefTarget } from './resolve-path.ts'
import { parseXml } from './xml.ts'

/** Where the files and element ids of a book have come to stand; page numbers start at 1. */
export interface PagePositions {
  /** The first page of each file by path; for a file without text, the page after it. */
  pageByFile: Map<string, number>
  /** The page of an element by `path#id`. */
  pageById: Map<string, number>
  /** How many pages the book has. */
  pageCount: number
}

/** The contents and printed pages of a book, tied to its files. */
export interface BookNavigation {
  /** The element ids of a file that the contents point at. */
  idsIn(path: string): ReadonlySet<string>
  /** Printed page labels in a file by element id; the file's beginning is the empty id. */
  labelsIn(path: string): ReadonlyMap<string, string>
  /** The table of contents with page numbers, once the pages are known. */
  buildToc(positions: PagePositions): TocEntry[]
}

const emptyNavigation: Navigation = { entries: [], pageLabels: [] }

/** Reads the navigation document, else the NCX. One that is damaged is a book without contents, not a broken book. */
export async function readNavigation(
  archive: Archive,
  { book, locate: resolvePath }: { book: BookPackage; locate: PathResolver },
): Promise<BookNavigation> {
  const { nav, ncx } = book
  const fromNav = nav === null ? emptyNavigation : readNav(await archive.read(nav), nav)
  const complete = fromNav.entries.length > 0 && fromNav.pageLabels.length > 0
  const bytes = ncx === null || complete ? null : Buffer.from(await archive.read(ncx))
  const needsNcx = bytes !== null && (fromNav.entries.length === 0 || bytes.includes('pageTarget'))
  const fromNcx = needsNcx ? readNcxOrEmpty(bytes, ncx ?? '') : emptyNavigation
  const source = fromNav.entries.length > 0 ? fromNav.entries : fromNcx.entries
  const resolveTarget = (target: HrefTarget | null): HrefTarget | null => {
    const path = target === null ? null : resolvePath(target.path)
    return target === null || path === null ? null : { path, fragment: target.fragment }
  }
  const entries = source.map((entry) => ({ ...entry, target: resolveTarget(entry.target) }))
  const ids = new Map<string, Set<string>>()
  for (const { target } of entries) {
    if (target !== null && target.fragment !== null) getOrAdd(ids, target.path, () => new Set()).add(target.fragment)
  }
  const labels = new Map<string, Map<string, string>>()
  for (const { label, target } of fromNav.pageLabels.length > 0 ? fromNav.pageLabels : fromNcx.pageLabels) {
    const resolved = resolveTarget(target)
    if (resolved !== null)
      getOrAdd(labels, resolved.path, () => new Map()).set(resolved.fragment ?? '', label.slice(0, 20))
  }
  const noIds = new Set<string>()
  const noLabels = new Map<string, string>()
  return {
    idsIn: (path) => ids.get(path) ?? noIds,
    labelsIn: (path) => labels.get(path) ?? noLabels,
    buildToc: (positions) => assignPages(entries, positions),
  }
}

function readNcxOrEmpty(bytes: Uint8Array, path: string): Navigation {
  try {
    return readNcx(parseXml(bytes, path), path)
  } catch (error) {
    if (error instanceof FormatError) return emptyNavigation
    throw error
  }
}

/** An entry without a place of its own stands where the next one does; what points at no file of the book is left out. */
function assignPages(entries: Navigation['entries'], positions: PagePositions): TocEntry[] {
  const toc: TocEntry[] = []
  let next: number | null = null
  for (const { title, level, target } of entries.toReversed()) {
    const page: number | null = target === null ? next : pageOf(target, positions)
    if (page === null) continue
    next = page
    toc.push({ title, page, level })
  }
  return toc.reverse()
}

function pageOf({ path, fragment }: HrefTarget, positions: PagePositions): number | null {
  const first = positions.pageByFile.get(path)
  if (first === undefined) return null
  return Math.min(positions.pageById.get(`${path}#${fragment}`) ?? first, positions.pageCount)
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = create()
  map.set(key, made)
  return made
}
