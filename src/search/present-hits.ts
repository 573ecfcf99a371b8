import type { AccessibleBook } from '../books/access.ts'
import { clipTitle } from '../books/clip-title.ts'
import type { PublicAddress } from '../core/context.ts'
import { loadToc } from '../reading/load-toc.ts'
import type { Manifest } from '../reading/manifest.ts'
import { pageUrl, withQuote } from '../reading/page-url.ts'
import { pageRefs, type ContentStores } from '../reading/store.ts'
import { createChapterLookup } from '../reading/toc-tree.ts'
import { runSteps } from '../runtime/turns.ts'
import type { Query } from './parse-query.ts'
import type { RankedPage } from './rank-pages.ts'
import type { FoundItems } from './schema.ts'
import type { SearchRequest, SearchWork } from './search-work.ts'
import { makeOpening, makeSnippet } from './snippet.ts'

/** A page that was found, with a passage of it. */
export type Hit = FoundItems['items'][number]['hits'][number]

interface HitSource {
  book: AccessibleBook
  manifest: Manifest
  pages: readonly RankedPage[]
}

const maxChapterLevels = 4
/** So much of each page is looked at in any case, UTF-16 units; the opening of a page is made from it too. */
const minPassageLength = 4000

/** The pages with their chapters, passages and addresses, which open at the passage. */
export async function presentHits(
  ctx: ContentStores & PublicAddress,
  { book, manifest, pages }: HitSource,
  { query, work }: SearchRequest,
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
    const snippet = await findPassage(content, query, work)
    const score = Number((scores.get(pageNum) ?? 0).toFixed(3))
    hits.push({ page: pageNum, score, chapter, snippet, url: withQuote(url, snippet) })
  }
  return hits
}

/** A passage of a page, from as much of it as the work suffices for. */
async function findPassage(content: string, query: Query, work: SearchWork): Promise<string> {
  const part =
    content.length > work.passageLength ? content.slice(0, Math.max(minPassageLength, work.passageLength)) : content
  work.passageLength -= part.length
  return (await runSteps(work.pacer, makeSnippet(part, query))) ?? makeOpening(content.slice(0, minPassageLength))
}
