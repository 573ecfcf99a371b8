import { html } from 'hono/html'
import { AppError } from '../../../core/errors.ts'
import { libraryRoom } from '../../../imports/library-room.ts'
import { browseLibrary, type LibraryPage } from '../../../library/browse-library.ts'
import { TeamList } from '../../../teams/schema.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import { addBooksQueue } from '../../components/add-books-queue.ts'
import { bookCard } from '../../components/book-card.ts'
import { deletedNotice } from '../../book-actions.ts'
import { chips, type Chip } from '../../components/chips.ts'
import { emptyState } from '../../components/empty-state.ts'
import { formProblem, hiddenField } from '../../components/fields.ts'
import { icon } from '../../components/icon.ts'
import type { Html } from '../../components/html.ts'
import type { FormState } from '../../form.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'
import { serverNotice } from '../admin/server-health.ts'
import { continueReading } from './continue-reading.ts'
import { libraryTools } from './library-tools.ts'
import { libraryUrl, readLibraryQuery, type LibraryQuery } from './library-query.ts'
import { loadCards } from './load-cards.ts'
import { mountSelection, selectionNotice } from './selection.ts'
import { selectionBar } from './selection-bar.ts'

/** Number of books per page. */
const pageSize = 60

/** Mounts /library, and the actions for selected books. */
export function mountLibrary(routes: PageRoutes): void {
  routes.signedInPage('GET', '/library', (visit) => libraryPage(visit))
  mountSelection(routes, libraryPage)
}

/** The library of the signed-in account: its books with covers, filters, orders and actions for several books. */
export async function libraryPage(visit: SignedInVisit, state: FormState = {}): Promise<Response> {
  const query = readLibraryQuery(visit)
  const { sort, filter, title, after } = query
  let page: LibraryPage
  try {
    page = await browseLibrary(visit.ctx, { sort, filter, title, after, limit: pageSize })
  } catch (error) {
    // An old link: to a shelf that was deleted or renamed, or to a page of another order.
    if (!(error instanceof AppError) || state.problem) throw error
    if (error.code === 'SHELF_NOT_FOUND') return redirect(visit, '/library?done=no-shelf')
    if (after !== undefined) return redirect(visit, '/library')
    throw error
  }
  const [cards, { teams }, continued, deleted, room, manuscripts, server] = await Promise.all([
    loadCards(visit.ctx, page),
    callToolForVisit(visit, { name: 'list_teams' }, TeamList),
    isFirstPage(query) ? continueReading(visit.ctx) : '',
    deletedNotice(visit),
    libraryRoom(visit.ctx),
    visit.ctx.manuscripts.list(visit.ctx.actor.id, undefined, 1),
    serverNotice(visit),
  ])
  const { facets } = page
  const isEmpty = facets.all === 0 && facets.importing === 0
  return respondPage(visit, {
    title: pageTitle(query, facets),
    width: 'wide',
    scripts: ['library', 'add-books', 'live-imports'],
    problem: state.problem,
    content: html`<div class="library" data-drop-target>
      <div class="page-head">
        <h1>Library</h1>
        <div class="actions">
          ${manuscripts.length === 0 ? '' : html`<a class="button quiet" href="/library/manuscripts">${icon('bot')}Manuscripts</a>`}
          <a class="button quiet" href="/shelves">${icon('folder')}Shelves</a>
          ${isEmpty ? '' : html`<a class="button" href="/add">${icon('plus')}Add books</a>`}
        </div>
      </div>
      ${server} ${state.problem ? '' : html`${deleted} ${selectionNotice(visit)} ${noShelfNotice(visit)}`}
      ${formProblem(state)} ${addBooksQueue({ token: sessionToken(visit), room })}
      <p class="hidden-text" role="status" data-import-announcements></p>
      ${isEmpty ? emptyLibrary() : html`${searchForm()} ${continued} ${filters(query, page)} ${libraryTools(query)}`}
      ${
        cards.length > 0
          ? html`<form method="post" action="/library/selection" class="selection" data-selection>
              ${hiddenField('csrf', sessionToken(visit))} ${hiddenField('back', pageUrl(query))}
              <ul class="${query.look === 'list' ? 'book-list' : 'book-grid'}" id="books">
                ${cards.map((card) => bookCard(card, { select: 'ids', ticked: state.form?.getAll('ids') ?? [] }))}
              </ul>
              ${selectionBar({ facets, filter, teams })}
            </form>`
          : ''
      }
      ${cards.length === 0 && !isEmpty ? nothingFound(query, page) : ''} ${pager(query, page)}
      <p class="library-foot facts">
        <a href="/library/manuscripts">Manuscripts</a> · <a href="/library/deleted">Deleted books</a>
      </p>
    </div>`,
  })
}

function noShelfNotice({ url }: SignedInVisit): Html | '' {
  if (url.searchParams.get('done') !== 'no-shelf') return ''
  return html`<p class="notice" role="status">
    This shelf was deleted or renamed. These are all books. <a href="/shelves">See your shelves</a>
  </p>`
}

/** The title of the page, which tells windows with different shelves and filters apart. */
function pageTitle({ filter, title }: LibraryQuery, { shelves }: LibraryPage['facets']): string {
  const shown =
    'shelf' in filter
      ? shelves.find(({ id, slug }) => filter.shelf === slug || filter.shelf === id)?.name
      : filter.view === 'all'
        ? undefined
        : viewLabels[filter.view].label
  return [...(title === '' ? [] : [title]), ...(shown === undefined ? [] : [shown]), 'Library'].join(' · ')
}

function isFirstPage({ filter, after, title }: LibraryQuery): boolean {
  return 'view' in filter && filter.view === 'all' && after === undefined && title === ''
}

const pageUrl = ({ filter, title, after }: LibraryQuery) =>
  libraryUrl({ filter, title, ...(after === undefined ? {} : { after }) })

function searchForm(): Html {
  return html`<form action="/search" role="search" class="library-search">
    <label class="hidden-text" for="search">Search titles and pages</label>
    <input id="search" type="search" name="q" placeholder="Search titles and pages" maxlength="500" />
    <button class="quiet">${icon('search')}Search</button>
  </form>`
}

/** Counts above this number are not exact. */
const maxCount = 999

const count = (found: number, bound = Infinity) => (found >= bound ? `${maxCount}+` : found.toLocaleString('en-GB'))

function filters({ filter }: LibraryQuery, { facets }: LibraryPage): Html {
  const isView = (view: string) => 'view' in filter && filter.view === view
  const views: [view: keyof typeof viewLabels, shown: boolean][] = [
    ['all', true],
    ['importing', facets.importing > 0],
    ['attention', facets.attention > 0],
    ['shared', facets.shared > 0],
    ['marketplace', facets.marketplace > 0],
  ]
  const ofShelves = facets.shelves.map(({ id, slug, name, count: books }): Chip => {
    const current = 'shelf' in filter && (filter.shelf === slug || filter.shelf === id)
    return { label: name, url: libraryUrl({ filter: { shelf: slug } }), current, count: count(books) }
  })
  const ofViews = views
    .filter(([view, shown]) => shown || isView(view))
    .map(([view]): Chip => {
      const bound = view === 'importing' ? maxCount + 1 : Infinity
      return {
        ...viewLabels[view],
        url: libraryUrl({ filter: { view } }),
        current: isView(view),
        count: count(facets[view], bound),
      }
    })
  return chips('Books shown', [...ofViews.slice(0, 1), ...ofShelves, ...ofViews.slice(1)])
}

const viewLabels = {
  all: { label: 'All' },
  importing: { label: 'Being imported', icon: 'clock' },
  attention: { label: 'Needs attention', icon: 'triangle-alert' },
  shared: { label: 'Shared with you', icon: 'users' },
  marketplace: { label: 'From the marketplace', icon: 'store' },
} as const

function emptyLibrary(): Html {
  return emptyState({
    icon: 'library',
    title: 'Add your first books',
    text: 'Drop PDF, EPUB, Word and other files anywhere on this page, or choose them. Then connect an assistant to read them with you.',
    actions: html`<a class="button" href="/add">${icon('plus')}Add books</a>
      <a class="button quiet" href="/connect">${icon('plug')}Connect an assistant</a>`,
  })
}

function nothingFound(query: LibraryQuery, { unfinished }: LibraryPage): Html {
  const { title, filter } = query
  const text = unfinished
    ? 'None of the books checked so far has these words in its title. There are more books to check.'
    : title === ''
      ? 'There are no books here.'
      : `No title here contains the words “${title}”.`
  return emptyState({
    icon: 'book',
    title: 'No books found',
    text,
    actions: html`${'shelf' in filter && title === '' ? html`<a class="button" href="/library">Choose books for this shelf</a>` : ''}
      <a class="button quiet" href="${title === '' ? '/library' : libraryUrl({ filter })}"
        >${title === '' ? 'Show all books' : 'Show all titles'}</a
      >`,
  })
}

function pager(query: LibraryQuery, { next, unfinished }: LibraryPage): Html | '' {
  if (next === null && query.after === undefined) return ''
  const { filter, title } = query
  return html`<nav class="pager" aria-label="Pages of the library">
    ${query.after === undefined ? '' : html`<a class="button quiet" href="${libraryUrl({ filter, title })}">${icon('chevron-left')}First page</a>`}
    ${
      next === null
        ? ''
        : html`<a class="button quiet" rel="next" href="${libraryUrl({ filter, title, after: next })}"
            >${unfinished ? 'Check more books' : 'Next page'}${icon('chevron-right')}</a
          >`
    }
  </nav>`
}
