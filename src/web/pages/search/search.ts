import { html } from 'hono/html'
import { SearchPages } from '../../../search/schema.ts'
import { parseInput } from '../../../core/parse-input.ts'
import { searchLibrary } from '../../../library/search-library.ts'
import { hiddenField } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import { icon } from '../../components/icon.ts'
import { searchHelp } from '../../components/search-help.ts'
import { toFormProblem, type FormProblem } from '../../form.ts'
import { pageHeaders, redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import type { SignedInVisit } from '../../visit.ts'
import { findLikedPage } from './liked-page.ts'
import { searchResults, type SearchAnswer } from './results.ts'
import { readSearchQuery, searchUrl, type SearchQuery } from './search-query.ts'

/** Number of books per page. */
const pageSize = 10

/** Mounts /search, and /search/results: only the results, for the script that shows them during typing. */
export function mountSearch(routes: PageRoutes): void {
  routes.signedInPage('GET', '/search', async (visit) => {
    const query = readSearchQuery(visit.url)
    const answer = await search(visit, query)
    if (isOutdatedLink(answer, query)) return redirect(visit, searchUrl({ ...query, shelf: null, cursor: null }))
    const problem = 'message' in answer ? answer : null
    return respondPage(visit, {
      title: titleOf(query),
      width: 'wide',
      scripts: ['search'],
      problem,
      content: html`<h1>Search</h1>
        ${searchForm(query)} ${searchHelp}
        <div id="results" class="search-results" data-results>${resultsOf(query, answer)}</div>`,
    })
  })
  routes.signedInPage('GET', '/search/results', async (visit) => {
    const query = readSearchQuery(visit.url)
    const answer = await search(visit, query)
    const problem = 'message' in answer ? answer : null
    const headers = new Headers(pageHeaders())
    if (problem?.retryAfterSeconds !== undefined) headers.set('Retry-After', String(problem.retryAfterSeconds))
    for (const cookie of visit.setCookies) headers.append('Set-Cookie', cookie)
    return new Response(String(await resultsOf(query, answer)), { status: problem?.status ?? 200, headers })
  })
}

function titleOf({ text, like }: SearchQuery): string {
  if (text !== '') return `${text} · Search`
  return like === null ? 'Search' : 'Similar pages'
}

type Answer = SearchAnswer | FormProblem | { nothing: true }

/** The results, or the refusal; the page keeps the typed text. */
async function search({ ctx }: SignedInVisit, { text, like, owners, shelf, cursor }: SearchQuery): Promise<Answer> {
  if (text === '' && like === null) return { nothing: true }
  try {
    const { query } = text === '' ? { query: '' } : parseInput(SearchPages, { query: text })
    const found = await searchLibrary(ctx, { query, like, owners, shelf, cursor, limit: pageSize })
    return { ...found, liked: like === null ? null : await findLikedPage(ctx, like) }
  } catch (error) {
    const problem = toFormProblem(error)
    if (!problem) throw error
    return problem
  }
}

/** True for an old link: to a deleted shelf, or to a position in results that have changed. */
function isOutdatedLink(answer: Answer, { shelf, cursor }: SearchQuery): boolean {
  if (!('message' in answer)) return false
  return (answer.status === 404 && shelf !== null) || (answer.field === 'cursor' && cursor !== null)
}

function searchForm({ text, like, owners, shelf }: SearchQuery): Html {
  return html`<form class="search-form" role="search" action="/search" data-search>
    <label class="hidden-text" for="q">Search titles and pages</label>
    <input
      id="q"
      type="search"
      name="q"
      value="${text}"
      placeholder="Search titles and pages"
      maxlength="500"
      autocomplete="off"
      enterkeyhint="search"
      aria-describedby="search-hint"
      ${text === '' && like === null ? html`autofocus` : ''}
    />
    ${owners === 'all' ? '' : hiddenField('books', owners)} ${shelf === null ? '' : hiddenField('shelf', shelf)}
    <button>${icon('search')}Search</button>
    <p class="hint" id="search-hint">Put words in quotation marks to find them as a phrase.</p>
  </form>`
}

function resultsOf(query: SearchQuery, answer: Answer): Html {
  if ('nothing' in answer) return beginning
  if ('message' in answer) return problemOf(query, answer)
  return searchResults(query, answer)
}

const beginning = html`<p class="quiet-text">
    Finds words in the titles, authors, chapters and pages of every book that you can read: your own, those that others
    share with you, and those that you added.
  </p>
  <div class="actions">
    <a class="button quiet" href="/library">${icon('library')}Library</a>
    <a class="button quiet" href="/discover">${icon('compass')}Discover books</a>
  </div>`

function problemOf(query: SearchQuery, { status, message }: FormProblem): Html {
  const isBusy = status === 429
  const words = isBusy ? 'Several of your searches are still running. Wait a moment, then try again.' : message
  return html`<div class="problem" role="alert" data-problem>
    <p>${words}</p>
    ${isBusy ? html`<p><a class="button quiet" href="${searchUrl(query)}">${icon('refresh-cw')}Try again</a></p>` : ''}
  </div>`
}
