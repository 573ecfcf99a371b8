import type { TocEntry } from '../format.ts'
import { FormatError } from '../format.ts'
import type { Archive } from '../zip/open-zip.ts'
import { readNav, readNcx } from './navigation.ts'
import type { Navigation } from './navigation.ts'
import type { BookPackage } from './package.ts'
import type { Locate, Target } from './resolve-path.ts'
import { parseXml } from './xml.ts'

/** Where the files and element ids of a book have come to stand; page numbers start at 1. */
export interface Places {
  /** The first page of each file by path; for a file without text, the page after it. */
  files: Map<string, number>
  /** The page of an element by `path#id`. */
  ids: Map<string, number>
  /** How many pages the book has. */
  count: number
}

/** The contents and printed pages of a book, tied to its files. */
export interface BookNavigation {
  /** The element ids of a file that the contents point at. */
  idsIn(path: string): ReadonlySet<string>
  /** Printed page labels in a file by element id; the file's beginning is the empty id. */
  labelsIn(path: string): ReadonlyMap<string, string>
  /** The table of contents with page numbers, once the pages are known. */
  toc(places: Places): TocEntry[]
}

const empty: Navigation = { entries: [], pageLabels: [] }

/** Reads the navigation document, else the NCX. One that is damaged is a book without contents, not a broken book. */
export async function readNavigation(
  archive: Archive,
  { book, locate }: { book: BookPackage; locate: Locate },
): Promise<BookNavigation> {
  const { nav, ncx } = book
  const modern = nav === null ? empty : readNav(await archive.read(nav), nav)
  const complete = modern.entries.length > 0 && modern.pageLabels.length > 0
  const bytes = ncx === null || complete ? null : Buffer.from(await archive.read(ncx))
  const needed = bytes !== null && (modern.entries.length === 0 || bytes.includes('pageTarget'))
  const older = needed ? readOlder(bytes, ncx ?? '') : empty
  const read = modern.entries.length > 0 ? modern.entries : older.entries
  const located = (target: Target | null): Target | null => {
    const path = target === null ? null : locate(target.path)
    return target === null || path === null ? null : { path, fragment: target.fragment }
  }
  const entries = read.map((entry) => ({ ...entry, target: located(entry.target) }))
  const ids = new Map<string, Set<string>>()
  for (const { target } of entries) {
    if (target !== null && target.fragment !== null) getOrAdd(ids, target.path, () => new Set()).add(target.fragment)
  }
  const labels = new Map<string, Map<string, string>>()
  for (const { label, target } of modern.pageLabels.length > 0 ? modern.pageLabels : older.pageLabels) {
    const place = located(target)
    if (place !== null) getOrAdd(labels, place.path, () => new Map()).set(place.fragment ?? '', label.slice(0, 20))
  }
  const noIds = new Set<string>()
  const noLabels = new Map<string, string>()
  return {
    idsIn: (path) => ids.get(path) ?? noIds,
    labelsIn: (path) => labels.get(path) ?? noLabels,
    toc: (places) => placeEntries(entries, places),
  }
}

function readOlder(bytes: Uint8Array, path: string): Navigation {
  try {
    return readNcx(parseXml(bytes, path), path)
  } catch (error) {
    if (error instanceof FormatError) return empty
    throw error
  }
}

/** An entry without a place of its own stands where the next one does; what points at no file of the book is left out. */
function placeEntries(entries: Navigation['entries'], places: Places): TocEntry[] {
  const toc: TocEntry[] = []
  let next: number | null = null
  for (const { title, level, target } of entries.toReversed()) {
    const page: number | null = target === null ? next : pageOf(target, places)
    if (page === null) continue
    next = page
    toc.push({ title, page, level })
  }
  return toc.reverse()
}

function pageOf({ path, fragment }: Target, places: Places): number | null {
  const first = places.files.get(path)
  if (first === undefined) return null
  return Math.min(places.ids.get(`${path}#${fragment}`) ?? first, places.count)
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
