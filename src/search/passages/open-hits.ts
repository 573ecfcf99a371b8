import type { Manifest } from '../../reading/manifest.ts'
import type { StoredPage } from '../../reading/cached-page.ts'
import { MissingPageError, pageRefs, type ContentStores } from '../../reading/store.ts'
import type { FoundBook } from '../ranking/find-books.ts'
import { placeOfPage } from '../index/page-places.ts'
import type { RankedPage } from '../ranking/rank-pages.ts'

/** A found page with its text. */
export interface OpenedPage extends RankedPage {
  stored: StoredPage
}

/** A found book with those of its pages that are shown. */
export interface OpenedBook {
  found: FoundBook
  /** Null if the version has been removed in the meantime. */
  manifest: Manifest | null
  pages: OpenedPage[]
}

/** Reads the pages of all shown books together; with `onlyBest`, only the best page of each book. */
export async function openHits(
  ctx: ContentStores,
  found: readonly FoundBook[],
  onlyBest = false,
): Promise<OpenedBook[]> {
  const { contents } = ctx
  const [manifests] = await Promise.all([
    contents.getManifests(found.map(({ book }) => ({ itemId: book.id, version: book.version }))),
    readAhead(ctx, found, onlyBest),
  ])
  const wanted = found.flatMap(({ pages }, at) => {
    const manifest = manifests[at]
    const shown = onlyBest ? pages.slice(0, 1) : pages
    return manifest
      ? shown.flatMap((page) => [...pageRefs(manifest, page.page, page.page)].map((ref) => ({ at, page, ref })))
      : []
  })
  const stored = await contents.getPages(wanted.map(({ ref }) => ref))
  const opened = found.map((each, at): OpenedBook => ({ found: each, manifest: manifests[at] ?? null, pages: [] }))
  for (const [index, { at, page }] of wanted.entries())
    opened[at]?.pages.push({ ...page, stored: stored[index] as StoredPage })
  return opened
}

/** Reads pages and tables of contents while the manifests are being read, so that they are cached when they are needed. */
async function readAhead({ contents }: ContentStores, found: readonly FoundBook[], onlyBest: boolean): Promise<void> {
  const pages = found.flatMap(({ indexed, pages: ranked }) =>
    (onlyBest ? ranked.slice(0, 1) : ranked).flatMap(({ page }) => (indexed && placeOfPage(indexed, page)) ?? []),
  )
  try {
    await Promise.all([
      contents.getPages(pages),
      ...found.flatMap(({ book: { tocId }, indexed }) =>
        [tocId, indexed?.outlineId].flatMap((id) => (id ? [contents.getOutline(id)] : [])),
      ),
    ])
  } catch (error) {
    // The version has been removed in the meantime. Then its manifest does not exist either.
    if (!(error instanceof MissingPageError)) throw error
  }
}
