import { quotedFromField } from '../books/access.ts'
import { isConcise } from '../core/pagination.ts'
import { bookUrl } from '../reading/page-url.ts'
import { decodeCursor, resumeIndex, encodeCursor } from './search-cursor.ts'
import { createSuggester, wordsIn, type SeenWord, type Suggester } from './query/did-you-mean.ts'
import { findBooks, type FoundBook, type RankedResults } from './ranking/find-books.ts'
import { fuseRankings } from './ranking/fuse-rankings.ts'
import { beginMeaning, findByMeaning, type Meaning } from './ranking/meaning.ts'
import { parseQuery } from './query/parse-query.ts'
import {
  hasCriteria,
  filtersOf,
  listIndexedSources,
  noteField,
  noteOnExclusions,
  prepareSearch,
} from './prepare-search.ts'
import type { RequestedSearch, PreparedSearch, SearchServices } from './prepare-search.ts'
import type { FoundItems, SearchItems } from './schema.ts'
import { noteOnLanguages } from './note-on-languages.ts'
import { noteOnUnsearched } from './note-on-unsearched.ts'
import { openLikedPage } from './like-page.ts'
import { openHits, type OpenedBook } from './passages/open-hits.ts'
import { searchCurrent, type LibraryIndexes } from './ranking/open-libraries.ts'
import { passageRequest, presentHits, type PassageRequest } from './passages/present-hits.ts'
import { selectBestPages } from './ranking/select-best-pages.ts'
import {
  isExhausted,
  newSearchWork,
  takeSearchSlot,
  type SearchRequest,
  type SearchWork,
} from './ranking/search-work.ts'
import type { SearchSource } from './list-search-sources.ts'
import type { Call, PublicAddress } from '../core/context.ts'

type Item = FoundItems['items'][number]

/**
 * Searches title, author, description, table of contents and text of the books that the caller may read in full. Returns the best books
 * first, with passages of their best pages. For a query of filters only, lists the books, the newest first. Finds everything that was
 * published before the call. Charges no read.
 */
export function searchItems(ctx: Call & SearchServices & PublicAddress, input: SearchItems): Promise<FoundItems> {
  return searchPart(ctx, input, { name: '', narrow: (sources) => sources })
}

/** The part of the caller's books that a search covers. */
export interface SearchScope {
  /** Identifies the part, because a cursor is valid for one part only. Empty for all books. */
  name: string
  narrow(sources: SearchSource[]): SearchSource[]
  /** The maximum number of pages listed per book. Default: 3. */
  pagesPerBook?: number
  /** If present, only this many of the best pages of all books are listed, whichever books they are in. */
  bestPages?: number
}

/** Like `searchItems`, but searches a part of the books only. */
export async function searchPart(
  ctx: Call & SearchServices & PublicAddress,
  { query: text = '', like, limit, cursor, detail, ...filters }: SearchItems,
  scope: SearchScope,
): Promise<FoundItems> {
  const liked = like === undefined ? null : await openLikedPage(ctx, like)
  const requested = { text, additionalFilters: filtersOf(filters), liked }
  const query = parseQuery(text, undefined, requested.additionalFilters)
  const key = [text, scope.name, like, ...Object.entries(filters).flat()].filter(Boolean).join('\n')
  const cursorPosition = cursor === undefined ? null : decodeCursor(cursor, key)
  if (!liked && !hasCriteria(query)) return { query: text, items: [], total: 0, ...noteOnExclusions(query) }
  const release = await takeSearchSlot(ctx, ctx.search.slots)
  try {
    return await searchWithin(ctx, { requested, key, limit, cursorPosition, detail, scope })
  } finally {
    release()
  }
}

interface SearchInput extends Pick<SearchItems, 'limit' | 'detail'> {
  requested: RequestedSearch
  /** Identifies the search to which a cursor belongs. */
  key: string
  scope: SearchScope
  cursorPosition: ReturnType<typeof decodeCursor> | null
}

async function searchWithin(
  ctx: Call & SearchServices & PublicAddress,
  { requested, key, limit, cursorPosition, detail, scope }: SearchInput,
): Promise<FoundItems> {
  // Started first, so that the vector is available when the search by words ends.
  const meaning = beginMeaning(ctx, requested)
  const { prepared, request, byWords } = await searchByWords(ctx, requested, scope)
  const { work } = request
  if (byWords === null) return { query: requested.text, items: [], total: 0, note: emptyPageNotice }
  const ranked = meaning === null ? byWords : await addMeaning(ctx, byWords, { meaning, prepared, request })
  const { ranking, loadRange, total, searched, relaxed, query: matched } = ranked
  const start = cursorPosition ? resumeIndex(ranking, cursorPosition) : 0
  const loaded = await loadRange(start, start + limit)
  const found = scope.bestPages === undefined ? loaded : selectBestPages(loaded, scope.bestPages)
  const suggester = createSuggester(matched)
  const items = await presentWithinBudget(ctx, found, {
    ...passageRequest({ query: matched, work }),
    suggester,
    isWhole: scope.bestPages !== undefined,
    concise: isConcise(ctx, detail),
  })
  const didYouMean = suggester.suggest(requested.text)
  const end = items.length < found.length ? start + items.length : start + limit
  const last = ranking[end - 1]
  const hasMore = last !== undefined && end < ranking.length
  const note = noteField(prepared, { total, searched })
  return {
    query: requested.text,
    items,
    total,
    ...(total === 0 && note.note === undefined
      ? {
          ...(requested.liked ? { note: noSimilarPageNotice } : noteOnLanguages(prepared.sources)),
          ...(await noteOnUnsearched(ctx)),
        }
      : note),
    ...incompleteField(work),
    ...(relaxed ? { relaxed: relaxedNotice } : {}),
    ...(didYouMean === null ? {} : { didYouMean }),
    ...(hasMore ? { nextCursor: encodeCursor(key, { rank: end, id: last.bookId }) } : {}),
  }
}

interface SearchedWords {
  prepared: PreparedSearch
  request: SearchRequest
  /** Null if there is nothing to search for: the page of `like` has no words that other books have. */
  byWords: RankedResults | null
}

/** Finds books by words, with indexes that include every book published before the call. */
async function searchByWords(
  ctx: Call & SearchServices,
  requested: RequestedSearch,
  { narrow, pagesPerBook }: SearchScope,
): Promise<SearchedWords> {
  const { sources, early } = await listIndexedSources(ctx, narrow)
  const ownerIds = sources.map(({ ownerId }) => ownerId)
  const run = async (libraries: LibraryIndexes): Promise<SearchedWords> => {
    const work = newSearchWork(ctx.signal)
    const prepared = await prepareSearch(ctx, { sources, libraries }, { ...requested, work })
    const request = { query: prepared.query, work, liked: requested.liked ?? undefined, pagesPerBook }
    const byWords = hasCriteria(prepared.query) ? await findBooks(ctx, prepared.sources, request) : null
    return { prepared, request, byWords }
  }
  return searchCurrent(ctx.search, early, { ownerIds, run })
}

interface MeaningRequest {
  meaning: Meaning
  prepared: PreparedSearch
  request: SearchRequest
}

/** Adds the pages nearest in meaning to the results. */
async function addMeaning(
  ctx: Call & SearchServices,
  byWords: RankedResults,
  { meaning, prepared: { sources }, request }: MeaningRequest,
): Promise<RankedResults> {
  const first = new Set(byWords.ranking.map(({ bookId }) => bookId))
  const near = await findByMeaning(ctx, meaning, { sources, first, pacer: request.work.pacer })
  return fuseRankings(ctx, byWords, { near, request })
}

const emptyPageNotice = 'The page of like has no words that other books have. Name another page, or search by words.'

const noSimilarPageNotice = 'No other page has enough of the words that describe the page of like. Search by words.'

const incompleteNotice =
  'This search ended early: its words are too frequent in these books. Use rarer words, or fewer quoted phrases.'

const fewSimilarWordsNotice =
  'This search looked for only some of the words that are similar to its words, or begin with them: these books have too many. Use fewer words.'

/** Says that the search ended early, and what helps. */
function incompleteField(work: SearchWork): Pick<FoundItems, 'incomplete'> {
  if (isExhausted(work)) return { incomplete: incompleteNotice }
  return work.listedWords <= 0 ? { incomplete: fewSimilarWordsNotice } : {}
}

const relaxedNotice = 'No page contains the phrase in quotation marks. These pages contain its words.'

interface PresentRequest extends PassageRequest {
  /** True if the final answer is built from a shorter form of the results, so that all of them fit. */
  isWhole: boolean
  suggester: Suggester
  /** True for a short answer: a passage of the best page only, the numbers of the other pages, and no URLs, which reading also returns. */
  concise: boolean
}

/** Presents as many books as fit into the answer, at least one. */
async function presentWithinBudget(
  ctx: Call & SearchServices & PublicAddress,
  found: readonly FoundBook[],
  request: PresentRequest,
): Promise<Item[]> {
  // All books are opened together, so that their pages are read together.
  const opened = await openHits(ctx, found, request.concise)
  const all = await Promise.all(opened.map((each) => presentBook(ctx, each, request)))
  const items: Item[] = []
  let remaining = ctx.budget.maxListCost - ctx.budget.cost(JSON.stringify(request.query.concepts.length)) - 2_000
  for (const { words } of all) for (const each of words) request.suggester.addWords(each)
  for (const { item } of all) {
    remaining -= ctx.budget.maxListCost === Infinity ? 0 : ctx.budget.cost(JSON.stringify(item)) + 1
    if (remaining < 0 && items.length > 0 && !request.isWhole) break
    items.push(item)
  }
  return items
}

interface PresentedBook {
  item: Item
  /** The words of the shown pages, then of the title and author. */
  words: Iterable<SeenWord>[]
}

const noHits: Awaited<ReturnType<typeof presentHits>> = { hits: [], words: [] }

async function presentBook(
  ctx: SearchServices & PublicAddress,
  { found, manifest, pages }: OpenedBook,
  request: PresentRequest,
): Promise<PresentedBook> {
  const { concise } = request
  const { book, score, matched, weights } = found
  const others = found.pages.slice(pages.length).map(({ page }) => page)
  const { id, title, author, pageCount } = book
  const { hits, words } =
    manifest === null ? noHits : await presentHits(ctx, { book, manifest, pages, weights }, request)
  const item = {
    id,
    title,
    author,
    pageCount,
    score: Number(score.toFixed(3)),
    matched,
    ...(concise ? {} : { url: bookUrl(ctx, book) }),
    ...quotedFromField(book),
    ...(others.length > 0 ? { alsoOn: others } : {}),
    hits: concise ? hits.map(({ page, chapter, snippet }) => ({ page, chapter, snippet })) : hits,
  }
  return { item, words: [...words, wordsIn(`${title}\n${author ?? ''}`)] }
}
