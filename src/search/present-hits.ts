import type { AccessibleBook } from '../books/access.ts'
import { clipTitle } from '../books/clip-title.ts'
import type { PublicAddress } from '../core/context.ts'
import { loadToc } from '../reading/load-toc.ts'
import type { Manifest } from '../reading/manifest.ts'
import { pageUrl, withQuote } from '../reading/page-url.ts'
import { pageRefs, type ContentStores } from '../reading/store.ts'
import { createChapterLookup } from '../reading/toc-tree.ts'
import { runSteps } from '../runtime/turns.ts'
import type { RankedPage } from './rank-pages.ts'
import type { FoundItems } from './schema.ts'
import { findPassage, openingOf, type PassageQuery } from './passage.ts'
import type { SearchRequest, SearchWork } from './search-work.ts'

/** A page that was found, with a passage of it. */
export type Hit = Required<FoundItems['items'][number]['hits'][number]>

interface HitSource {
  book: AccessibleBook
  manifest: Manifest
  pages: readonly RankedPage[]
  /** Of each word of the query. */
  weights: readonly number[]
}

const maxChapterLevels = 4
/** So much of each page is looked at in any case, UTF-16 units; the opening of a page is made from it too. */
const minPassageLength = 4000
/** So much of each page is looked at for corrections of the query, UTF-16 units. */
const maxLookedAt = 20_000

/** The pages with their chapters, passages and addresses, which open at the passage. */
export async function presentHits(
  ctx: ContentStores & PublicAddress,
  { book, manifest, pages, weights }: HitSource,
  { query, work, suggester }: SearchRequest,
): Promise<Hit[]> {
  const refs = pages.flatMap(({ page }) => [...pageRefs(manifest, page, page)])
  const [stored, toc] = await Promise.all([ctx.contents.getPages(refs), loadToc(ctx, book, manifest)])
  const chapterOf = createChapterLookup(toc)
  const hits: Hit[] = []
  const scores = new Map(pages.map(({ page, score }) => [page, score]))
  for (const [at, { pageNum }] of refs.entries()) {
    const content = stored[at]?.content ?? ''
    const chapter = chapterOf(pageNum).slice(-maxChapterLevels).map(clipTitle)
    const url = pageUrl(ctx, { id: book.id, version: manifest.version, pageNum })
    const snippet = await passageOf(content, { query, weights }, work)
    await suggester?.look(content.slice(0, maxLookedAt))
    const score = Number((scores.get(pageNum) ?? 0).toFixed(3))
    hits.push({ page: pageNum, score, chapter, snippet, url: withQuote(url, snippet) })
  }
  return hits
}

/** A passage of a page, from as much of it as the work suffices for. */
async function passageOf(content: string, searched: PassageQuery, work: SearchWork): Promise<string> {
  const part =
    content.length > work.passageLength ? content.slice(0, Math.max(minPassageLength, work.passageLength)) : content
  work.passageLength -= part.length
  const passage = await runSteps(work.pacer, findPassage(part, searched))
  return passage ?? (await runSteps(work.pacer, openingOf(content.slice(0, minPassageLength))))
}
