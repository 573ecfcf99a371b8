import type { AccessibleBook } from '../books/access.ts'
import { clipTitle } from '../books/clip-title.ts'
import type { PublicAddress } from '../core/context.ts'
import { loadToc } from '../reading/load-toc.ts'
import type { Manifest } from '../reading/manifest.ts'
import { pageUrl, withQuote } from '../reading/page-url.ts'
import type { ContentStores } from '../reading/store.ts'
import { createChapterLookup } from '../reading/toc-tree.ts'
import type { StoredPage } from '../reading/cached-page.ts'
import { runSteps } from '../runtime/turns.ts'
import type { OpenedPage } from './open-hits.ts'
import type { FoundItems } from './schema.ts'
import { analysePage, type AnalysedPage, type PageWord } from './analysed-page.ts'
import { findPassage, openingOf, type PassageQuery } from './passage.ts'
import { createWordFinder } from './query-words.ts'
import type { SearchRequest, SearchWork } from './search-work.ts'
import type { SearchStores } from './store.ts'

/** A page that was found, with a passage of it. */
export type Hit = Required<FoundItems['items'][number]['hits'][number]>

interface HitSource {
  book: AccessibleBook
  manifest: Manifest
  pages: readonly OpenedPage[]
  /** Of each word of the query. */
  weights: readonly number[]
}

/** The query of some hits; its words are looked up once for all of them. */
export interface PassageRequest extends Pick<SearchRequest, 'query' | 'work'>, Pick<PassageQuery, 'find'> {}

/** What the passages of a search are found by. */
export function passageRequest({ query, work }: Pick<SearchRequest, 'query' | 'work'>): PassageRequest {
  return { query, work, find: createWordFinder(query) }
}

interface PresentedHits {
  hits: Hit[]
  /** The words of the page of each hit. */
  words: (readonly PageWord[])[]
}

const maxChapterLevels = 4
/** So much of each page is looked at in any case, UTF-16 units; the opening of a page is made from it too. */
const minPassageLength = 4000

/** The pages with their chapters, passages and addresses, which open at the passage. */
export async function presentHits(
  ctx: ContentStores & SearchStores & PublicAddress,
  { book, manifest, pages, weights }: HitSource,
  { query, find, work }: PassageRequest,
): Promise<PresentedHits> {
  const chapterOf = createChapterLookup(await loadToc(ctx, book, manifest))
  const hits: Hit[] = []
  const words: (readonly PageWord[])[] = []
  for (const { page: pageNum, score: exactScore, stored: page } of pages) {
    const chapter = chapterOf(pageNum).slice(-maxChapterLevels).map(clipTitle)
    const url = pageUrl(ctx, { id: book.id, version: manifest.version, pageNum })
    const { snippet, analysed } = await passageOf(ctx, page, { searched: { query, weights, find }, work })
    words.push(analysed.words)
    const score = Number(exactScore.toFixed(3))
    hits.push({ page: pageNum, score, chapter, snippet, url: withQuote(url, snippet) })
  }
  return { hits, words }
}

interface PassageSearch {
  searched: PassageQuery
  work: SearchWork
}

/** A passage of a page, from as much of it as the work suffices for. */
async function passageOf(
  ctx: SearchStores,
  page: StoredPage,
  { searched, work }: PassageSearch,
): Promise<{ snippet: string; analysed: AnalysedPage }> {
  const { content } = page
  const length = content.length > work.passageLength ? Math.max(minPassageLength, work.passageLength) : content.length
  work.passageLength -= Math.min(length, content.length)
  const analysed =
    length < content.length
      ? await runSteps(work.pacer, analysePage(content.slice(0, length)))
      : await analyseOnce(ctx, page, work)
  const passage = await runSteps(work.pacer, findPassage(analysed, searched))
  const snippet = passage ?? (await runSteps(work.pacer, openingOf(content.slice(0, minPassageLength))))
  return { snippet, analysed }
}

async function analyseOnce({ search }: SearchStores, page: StoredPage, work: SearchWork): Promise<AnalysedPage> {
  const known = search.analysedPages.get(page)
  if (known) return known
  const analysed = await runSteps(work.pacer, analysePage(page.content))
  search.analysedPages.keep(page, analysed)
  return analysed
}
