import type { TocEntry } from '../format.ts'
import { FormatError } from '../format.ts'
import type { Archive } from '../zip/open-zip.ts'
import type { FileTitle } from './name-headings.ts'
import { readNav, type Navigation } from './navigation.ts'
import { readNcx } from './read-ncx.ts'
import { readPageMap } from './read-page-map.ts'
import type { BookPackage } from './package.ts'
import type { PagePositions } from './page-positions.ts'
import type { PathResolver, HrefTarget } from './resolve-path.ts'

/** The table of contents and the printed page labels of a book, resolved to its files. */
export interface BookNavigation {
  /** The printed page labels in a file by element id; the empty id stands for the start of the file. */
  labelsIn(path: string): ReadonlyMap<string, string>
  /** The entries of the table of contents that lead into a file. */
  titlesIn(path: string): readonly FileTitle[]
  /** Whether an entry of the table of contents leads into a file of the book. */
  hasTargets: boolean
  /** The table of contents with page numbers. Call it when all pages are known. */
  buildToc(positions: PagePositions): TocEntry[]
}

const emptyNavigation: Navigation = { entries: [], pageLabels: [] }

/** Reads the navigation document, otherwise the NCX and the page map. Damaged ones are ignored. */
export async function readNavigation(
  archive: Archive,
  { book, resolvePath }: { book: BookPackage; resolvePath: PathResolver },
): Promise<BookNavigation> {
  const { nav, ncx, pageMap } = book
  const fromNav = nav === null ? emptyNavigation : readOrEmpty(readNav, await archive.read(nav), nav)
  const complete = fromNav.entries.length > 0 && fromNav.pageLabels.length > 0
  const bytes = ncx === null || complete ? null : Buffer.from(await archive.read(ncx))
  const needsNcx = bytes !== null && (fromNav.entries.length === 0 || bytes.includes('pageTarget'))
  const fromNcx = needsNcx ? readOrEmpty(readNcx, bytes, ncx ?? '') : emptyNavigation
  const entries = fromNav.entries.length > 0 ? fromNav.entries : fromNcx.entries
  const pageLabels = fromNav.pageLabels.length > 0 ? fromNav.pageLabels : fromNcx.pageLabels
  const needsMap = pageMap !== null && pageLabels.length === 0
  const fromMap = needsMap ? readOrEmpty(readPageMap, await archive.read(pageMap), pageMap) : emptyNavigation
  return resolveNavigation({ entries, pageLabels: needsMap ? fromMap.pageLabels : pageLabels }, resolvePath)
}

/** Resolves the table of contents and page labels of a book to its files, using `resolvePath`. */
export function resolveNavigation(
  { entries: source, pageLabels }: Navigation,
  resolvePath: PathResolver,
): BookNavigation {
  const resolveTarget = (target: HrefTarget | null): HrefTarget | null => {
    const path = target === null ? null : resolvePath(target.path)
    return target === null || path === null ? null : { path, fragment: target.fragment }
  }
  const entries = source.map((entry) => ({ ...entry, target: resolveTarget(entry.target) }))
  const labels = new Map<string, Map<string, string>>()
  for (const { label, target } of pageLabels) {
    const resolved = resolveTarget(target)
    if (resolved !== null)
      getOrAdd(labels, resolved.path, () => new Map()).set(resolved.fragment ?? '', label.slice(0, 20))
  }
  const noLabels = new Map<string, string>()
  const titles = new Map<string, FileTitle[]>()
  for (const { title, level, target } of entries)
    if (target !== null) getOrAdd(titles, target.path, () => []).push({ title, level, fragment: target.fragment })
  return {
    labelsIn: (path) => labels.get(path) ?? noLabels,
    titlesIn: (path) => titles.get(path) ?? [],
    hasTargets: titles.size > 0,
    buildToc: (positions) => assignPages(entries, positions),
  }
}

function readOrEmpty(read: typeof readNav, bytes: Uint8Array, path: string): Navigation {
  try {
    return read(bytes, path)
  } catch (error) {
    if (error instanceof FormatError) return emptyNavigation
    throw error
  }
}

/** An entry without a target gets the page of the next entry. Drops entries whose target is not in the book. */
function assignPages(entries: Navigation['entries'], positions: PagePositions): TocEntry[] {
  const toc: TocEntry[] = []
  let next: number | null = null
  for (const { title, level, target } of entries.toReversed()) {
    const page: number | null = target === null ? next : positions.pageOf(target)
    if (page === null) continue
    next = page
    toc.push({ title, page, level })
  }
  return toc.reverse()
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const existing = map.get(key)
  if (existing !== undefined) return existing
  const created = create()
  map.set(key, created)
  return created
}
