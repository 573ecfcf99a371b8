import type { AccessibleBook } from '../../books/access.ts'
import { clipTitle } from '../../books/clip-title.ts'
import type { PublicAddress } from '../../core/context.ts'
import { loadToc } from '../../reading/load-toc.ts'
import type { Manifest } from '../../reading/manifest.ts'
import { pageUrl, withQuote } from '../../reading/page-url.ts'
import type { ContentStores } from '../../reading/store.ts'
import { chapterOfPlace } from '../../reading/toc-tree.ts'
import type { StoredPage } from '../../reading/cached-page.ts'
import { runSteps } from '../../runtime/turns.ts'
import { slugify } from '../../text/slugify.ts'
import type { OpenedPage } from './open-hits.ts'
import type { FoundItems } from '../schema.ts'
import { findPassage, readOpening, type Passage, type PassageQuery } from './passage.ts'
import type { SearchRequest, SearchWork } from '../ranking/search-work.ts'
import type { SearchStores } from '../store.ts'
import { createSpellingSkip, type SkipWords } from './word-skip.ts'
import { searchWords, stripPage, wordsOn, type StrippedPage, type WordSearch } from './stripped-page.ts'
import type { SeenWord } from '../query/did-you-mean.ts'
import type { Block } from '../words/strip-markdown.ts'

/** A found page with a passage. */
export type Hit = Required<FoundItems['items'][number]['hits'][number]>

interface HitSource {
  book: AccessibleBook
  manifest: Manifest
  pages: readonly OpenedPage[]
  /** The weight of each word of the query. */
  weights: readonly number[]
}

/** The query of some hits. Its words are prepared once for all of them. */
export interface PassageRequest extends Pick<SearchRequest, 'query' | 'work'>, WordSearch {
  /** Selects the words of the pages that may be corrections; null if the query has none. */
  corrections: { skip: SkipWords | null } | null
}

/** Prepares finding the passages of a search. */
export function passageRequest({ query, work }: Pick<SearchRequest, 'query' | 'work'>): PassageRequest {
  const words = query.concepts.flatMap(({ corrections = [] }) => corrections)
  const corrections = words.length > 0 ? { skip: createSpellingSkip(words) } : null
  return { query, work, ...searchWords(query), corrections }
}

interface PresentedHits {
  hits: Hit[]
  /** The words of the page of each hit; empty if no corrections are needed. */
  words: (readonly SeenWord[])[]
}

const maxChapterLevels = 4
/** At least this much of each page is searched, UTF-16 units. The opening of a page is also taken from it. */
const minPassageLength = 4000

/** Returns the pages with their passages, the chapters of these, and URLs, which open at the passage. */
export async function presentHits(
  ctx: ContentStores & SearchStores & PublicAddress,
  { book, manifest, pages, weights }: HitSource,
  { work, corrections, ...search }: PassageRequest,
): Promise<PresentedHits> {
  const toc = await loadToc(ctx, book, manifest)
  const hits: Hit[] = []
  const words: (readonly SeenWord[])[] = []
  for (const { page: pageNum, score: exactScore, stored: page } of pages) {
    const url = pageUrl(ctx, { id: book.id, version: manifest.version, pageNum })
    const { passage, snippet, stripped } = await passageOf(ctx, page, { searched: { ...search, weights }, work })
    const chapters = chapterOfPlace(toc, pageNum, (titles) => countStarted(titles, stripped, passage))
    const chapter = chapters.slice(-maxChapterLevels).map(clipTitle)
    if (corrections) words.push(await runSteps(work.pacer, wordsOn(stripped, corrections.skip)))
    const score = Number(exactScore.toFixed(3))
    hits.push({ page: pageNum, score, chapter, snippet, url: withQuote(url, snippet) })
  }
  return { hits, words }
}

interface PassageSearch {
  searched: PassageQuery
  work: SearchWork
}

/** Returns a passage of a page. Searches as much of the page as the remaining work allows. */
async function passageOf(
  ctx: SearchStores,
  page: StoredPage,
  { searched, work }: PassageSearch,
): Promise<{ passage: Passage | null; snippet: string; stripped: StrippedPage }> {
  const { content } = page
  const length = content.length > work.passageLength ? Math.max(minPassageLength, work.passageLength) : content.length
  work.passageLength -= Math.min(length, content.length)
  const stripped =
    length < content.length
      ? await runSteps(work.pacer, stripPage(content.slice(0, length)))
      : await stripOnce(ctx, page, work)
  const passage = await runSteps(work.pacer, findPassage(stripped, searched))
  const snippet = passage?.snippet ?? (await runSteps(work.pacer, readOpening(content.slice(0, minPassageLength))))
  return { passage, snippet, stripped }
}

/**
 * Returns how many of the chapters that begin on a page begin before a passage, by the headings of the page; null if it is not known, because
 * the page shows none of their titles or there is no passage.
 */
function countStarted(
  titles: readonly string[],
  { text, blocks }: StrippedPage,
  passage: Passage | null,
): number | null {
  if (passage === null) return null
  const headings = blocks.filter(({ kind }) => kind === 'heading')
  const names = headings.map(({ start, end }) => slugify(text.slice(start, end)))
  let [started, from, isKnown] = [0, 0, false]
  for (const [index, title] of titles.entries()) {
    const slug = slugify(title)
    const at = names.findIndex((name, each) => each >= from && isSameTitle(name, slug))
    if (at < 0) continue
    isKnown = true
    if ((headings[at] as Block).start > passage.start) break
    started = index + 1
    from = at + 1
  }
  return isKnown ? started : null
}

/** Compares slugs of titles. One may have a number before the words, or be cut. */
function isSameTitle(one: string, other: string): boolean {
  if (one === other) return one !== ''
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  return short.length >= minSharedLength && (long.endsWith(`-${short}`) || long.startsWith(`${short}-`))
}

const minSharedLength = 4

async function stripOnce({ search }: SearchStores, page: StoredPage, work: SearchWork): Promise<StrippedPage> {
  const known = search.strippedPages.get(page)
  if (known) return known
  const stripped = await runSteps(work.pacer, stripPage(page.content))
  search.strippedPages.keep(page, stripped)
  return stripped
}
