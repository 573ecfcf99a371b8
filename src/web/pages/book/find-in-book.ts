import { html } from 'hono/html'
import { findPage } from '../../../reading/find-page.ts'
import { bookUrl, pageUrl } from '../../../reading/page-url.ts'
import { openVersion, type OpenedVersion } from '../../../reading/open-version.ts'
import { SearchBook, searchBook, type FoundInBook } from '../../../search/search-book.ts'
import { languageTagOf } from '../../../text/words/detect-language.ts'
import { parseInput } from '../../../core/parse-input.ts'
import { hiddenField } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import { searchHelp } from '../../components/search-help.ts'
import { markPlainText } from '../../markdown/mark-words.ts'
import { sanitisedHtml } from '../../markdown/sanitised-html.ts'
import { toFormProblem } from '../../form.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'
import { bookPath, keptQuery, requestedVersion, withParameters } from './opened-book.ts'
import { missingTopic } from './missing-topic.ts'
import { respondReaderRefusal } from './respond-reader-refusal.ts'
import { formatChapters } from '../../format/format-chapters.ts'
import { formatPageCount } from '../../format/format-page-count.ts'

/** Mounts the two ways to find a page in a book: by words, and by page number. */
export function mountFindInBook(routes: PageRoutes): void {
  routes.signedInPage('GET', '/books/:id/find', (visit) =>
    respondFound(visit).catch((error: unknown) => respondReaderRefusal(visit, error)),
  )
  routes.signedInPage('GET', '/books/:id/go', (visit) =>
    goToPage(visit).catch((error: unknown) => respondReaderRefusal(visit, error)),
  )
}

async function goToPage(visit: SignedInVisit): Promise<Response> {
  const { id = '' } = visit.params
  const page = visit.url.searchParams.get('page') ?? ''
  const found = await findPage(visit.ctx, { id, version: requestedVersion(visit), page })
  const kept = keptQuery(visit.url)
  const parameters = found.label === null ? kept : [...kept, 'printed=1']
  return redirect(visit, withParameters(pageUrl({ baseUrl: '' }, { id, ...found }), parameters))
}

async function respondFound(visit: SignedInVisit): Promise<Response> {
  const { id = '' } = visit.params
  const opened = await openVersion(visit.ctx, id)
  const earlier = earlierVersion(visit, opened)
  const query = visit.url.searchParams.get('q') ?? ''
  const answer = query.trim() === '' ? null : await findOrRefuse(visit, { id, query })
  const problem = answer && 'message' in answer ? answer : null
  return respondPage(visit, {
    title: `${query === '' ? 'Find' : query} in ${opened.book.title}`,
    problem,
    content: html`<p class="kind"><a href="${bookPath(opened)}" dir="auto">${opened.book.title}</a></p>
      <h1 class="under-kind">Find in this book</h1>
      ${findForm(opened, { query, earlier })} ${earlier === null ? '' : searchedVersionNotice(opened, earlier)}
      ${searchHelp} ${problem ? html`<p class="problem" role="alert">${problem.message}</p>` : ''}
      ${answer && !('message' in answer) ? foundList(opened, { query, earlier, found: answer }) : ''}
      ${answer && 'total' in answer && answer.total === 0 ? missingTopic(opened.book, { state: {}, csrfToken: sessionToken(visit), lookedFor: query }) : ''}`,
  })
}

/** The search results, or the refusal; the page keeps the typed text. */
async function findOrRefuse({ ctx }: SignedInVisit, raw: SearchBook) {
  try {
    return await searchBook(ctx, parseInput(SearchBook, raw))
  } catch (error) {
    const problem = toFormProblem(error)
    if (!problem || problem.status === 404) throw error
    return problem
  }
}

/** The version in the URL if it is older than the current one, which is searched; otherwise null. */
function earlierVersion(visit: SignedInVisit, { manifest }: OpenedVersion): number | null {
  const requested = requestedVersion(visit) ?? manifest.version
  return requested < manifest.version ? requested : null
}

function searchedVersionNotice({ book, manifest }: OpenedVersion, earlier: number): Html {
  return html`<p class="notice">
    You were reading version ${earlier}. This searches the current version ${manifest.version}, in which words and pages
    may differ.
    <a href="${bookUrl({ baseUrl: '' }, { id: book.id, version: earlier })}">Back to version ${earlier}</a>
  </p>`
}

interface FindForm {
  query?: string
  /** The version that the reader came from, if it is not the current one. */
  earlier?: number | null
}

/** The form that searches one book. From an older version, its results say that they are of the current one. */
export function findForm({ book, manifest }: OpenedVersion, { query = '', earlier = null }: FindForm = {}): Html {
  const from = earlier ?? (manifest.version < book.version ? manifest.version : null)
  return html`<form class="reader-find" role="search" method="get" action="/books/${book.id}/find">
    ${from === null ? '' : hiddenField('v', String(from))}
    <label class="hidden-text" for="find">Find in this book</label>
    <input
      id="find"
      type="search"
      name="q"
      value="${query}"
      placeholder="Find in this book"
      maxlength="500"
      autocomplete="off"
    />
    <button class="quiet">Find</button>
  </form>`
}

function findPath(id: string, { query, earlier }: { query: string; earlier: number | null }): string {
  return `/books/${id}/find?${earlier === null ? '' : `v=${earlier}&`}q=${encodeURIComponent(query)}`
}

interface FoundList {
  query: string
  earlier: number | null
  found: FoundInBook
}

function foundList(opened: OpenedVersion, { query, earlier, found }: FoundList): Html {
  const { hits, total, incomplete, relaxed, didYouMean, note } = found
  const marked = didYouMean ?? query
  const { book } = opened
  return html`<p role="status">${countLine(found)}</p>
    ${note ? html`<p class="notice">${note}</p>` : ''}
    ${incomplete ? html`<p class="notice">The search stopped early because these words are too common. Use rarer words.</p>` : ''}
    ${relaxed ? html`<p class="notice">No page contains the phrase in quotation marks. These pages contain its words.</p>` : ''}
    ${
      didYouMean === null
        ? ''
        : html`<p class="did-you-mean">
            Did you mean
            <a href="${findPath(book.id, { query: didYouMean, earlier })}" dir="auto">${didYouMean}</a>?
          </p>`
    }
    <ol class="reader-found">
      ${hits.map(({ page, chapter, snippet }) => {
        const chapters = formatChapters(chapter, book.title)
        return html`<li>
          <a
            href="${pageUrl({ baseUrl: '' }, { id: book.id, version: book.version, pageNum: page })}&mark=${encodeURIComponent(marked)}#p-mark"
            >Page ${page}</a
          >
          ${chapters ? html`<span class="facts" dir="auto">${chapters}</span>` : ''}
          <p dir="auto" lang="${languageTagOf(snippet, book.language)}">
            ${sanitisedHtml(markPlainText(snippet, marked))}
          </p>
        </li>`
      })}
    </ol>
    ${
      total === 0
        ? html`<p>
            Try other words, or <a href="/search?q=${encodeURIComponent(query)}">search the whole library</a>.
          </p>`
        : ''
    }`
}

function countLine({ hits, total }: FoundInBook): string {
  if (total === 0) return 'No page contains these words.'
  const pages = formatPageCount(total)
  return total > hits.length ? `${pages}; the best ${hits.length} of them:` : `${pages}:`
}
