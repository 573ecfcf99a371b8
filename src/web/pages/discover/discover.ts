import { html } from 'hono/html'
import { categories } from '../../../marketplace/categories.ts'
import { discoverListings, type DiscoveredPage } from '../../../marketplace/discover-listings.ts'
import { listingSorts } from '../../../marketplace/listing-store.ts'
import { Subscribed, Success, type BrowseMarketplace } from '../../../marketplace/schema.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import { chips } from '../../components/chips.ts'
import { emptyState } from '../../components/empty-state.ts'
import { formProblem, hiddenField } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import { icon } from '../../components/icon.ts'
import { menu } from '../../components/menu.ts'
import { handleForm, readSessionForm, type Form, type FormState } from '../../form.ts'
import { redirect, respondPage } from '../../respond.ts'
import { categoryLabel } from '../../format/category-label.ts'
import type { PageRoutes } from '../../routes.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'
import { discoverUrl, readDiscoverQuery } from './discover-query.ts'
import { listingCard } from './listing-card.ts'

/** Mounts /discover: the marketplace, where people add books to their library and remove them. */
export function mountDiscover(routes: PageRoutes): void {
  routes.signedInPage('GET', '/discover', (visit) => discoverPage(visit))
  mountChange(routes, 'add', (visit, raw) =>
    callToolForVisit(visit, { name: 'subscribe_marketplace', raw }, Subscribed),
  )
  mountChange(routes, 'remove', (visit, raw) =>
    callToolForVisit(visit, { name: 'unsubscribe_marketplace', raw }, Success),
  )
}

type Change = (visit: SignedInVisit, raw: { listingId: string }) => Promise<unknown>

function mountChange(routes: PageRoutes, name: keyof typeof notices, change: Change): void {
  routes.signedInPage('POST', `/discover/${name}`, (visit) =>
    handleForm({
      read: () => readSessionForm(visit),
      async submit(form) {
        await change(visit, { listingId: form.get('listing') ?? '' })
        const back = backUrl(visit, form)
        back.searchParams.set('done', name)
        return redirect(visit, back.pathname + back.search)
      },
      renderAgain: (state) => discoverPage({ ...visit, url: backUrl(visit, state.form) }, state),
    }),
  )
}

/** The marketplace page that contains the form. */
function backUrl({ url, site }: SignedInVisit, form: Form | undefined): URL {
  const back = form?.get('back') ?? ''
  const target = URL.canParse(back, site.baseUrl) ? new URL(back, site.baseUrl) : null
  if (target?.origin === new URL(site.baseUrl).origin && target.pathname === '/discover') return target
  return new URL('/discover', url)
}

const notices = {
  add: 'The book is in your library.',
  remove: 'The book is no longer in your library.',
} as const

async function discoverPage(visit: SignedInVisit, state: FormState = {}): Promise<Response> {
  const query = readDiscoverQuery(visit.url)
  const found = await discoverListings(visit.ctx, query)
  const notice = Object.entries(notices).find(([name]) => name === visit.url.searchParams.get('done'))?.[1]
  const back = discoverUrl(query, query.page > 1 ? { page: String(query.page) } : {})
  return respondPage(visit, {
    title: pageTitle(query),
    currentPath: '/discover',
    width: 'wide',
    problem: state.problem,
    content: html`<div class="page-head">
        <h1>Discover</h1>
        <a class="button quiet" href="/library?show=marketplace">${icon('library')}Books you added</a>
      </div>
      <p class="lead">The marketplace: books that others have published. Adding one is free.</p>
      ${notice && !state.problem ? html`<p class="notice" role="status">${notice}</p>` : ''} ${formProblem(state)}
      ${searchForm(query)}
      <div class="library">${categoryChips(query)}</div>
      <div class="discover-line">
        <p class="facts" role="status">${countText(found, query)}</p>
        ${sortMenu(query)}
      </div>
      ${
        found.listings.length === 0
          ? nothingFound(query)
          : html`<ul class="listings">
              ${found.listings.map((listing) => listingCard(listing, { token: sessionToken(visit), back, query }))}
            </ul>`
      }
      ${pager(query, found)}`,
  })
}

/** The title of the page, which tells windows with different searches apart. */
function pageTitle({ query, category, tag }: BrowseMarketplace): string {
  return [query ?? [], category ? categoryLabel(category) : [], tag ? `Tag: ${tag}` : [], 'Discover'].flat().join(' · ')
}

function searchForm(query: BrowseMarketplace): Html {
  return html`<form action="/discover" role="search" class="library-search">
    ${query.category ? hiddenField('category', query.category) : ''}
    <label class="hidden-text" for="discover">Search published books</label>
    <input
      id="discover"
      type="search"
      name="q"
      value="${query.query ?? ''}"
      placeholder="Search published books"
      maxlength="500"
    />
    <button class="quiet">${icon('search')}Search</button>
  </form>`
}

function categoryChips(query: BrowseMarketplace): Html {
  const { category, tag } = query
  return chips('Categories', [
    { label: 'All', url: discoverUrl(query, { category: undefined, tag: undefined }), current: !category && !tag },
    ...categories.map((one) => ({
      label: categoryLabel(one),
      url: discoverUrl(query, { category: one }),
      current: category === one,
    })),
    ...(tag
      ? [{ label: `Tag: ${tag}`, url: discoverUrl(query, { tag: undefined }), current: true, icon: 'x' as const }]
      : []),
  ])
}

const sortLabels = { newest: 'Newest', popular: 'Most added', az: 'Title' } as const

function sortMenu(query: BrowseMarketplace): Html {
  return menu({
    label: html`<span><span class="quiet-text">Sort:</span> ${sortLabels[query.sort]}</span>`,
    content: html`<ul>
      ${listingSorts.map(
        (sort) =>
          html`<li>
            <a href="${discoverUrl(query, { sort })}" ${sort === query.sort ? html`aria-current="page"` : ''}
              >${sortLabels[sort]}</a
            >
          </li>`,
      )}
    </ul>`,
  })
}

function countText({ total }: DiscoveredPage, { query }: BrowseMarketplace): string {
  const books = total === 1 ? '1 book' : `${total.toLocaleString('en-GB')} books`
  return query === undefined ? books : `${books} for “${query}”`
}

function nothingFound(query: BrowseMarketplace): Html {
  const isFiltered = query.query !== undefined || query.category !== undefined || query.tag !== undefined
  return emptyState({
    icon: 'store',
    title: isFiltered ? 'No books found' : 'Nothing published yet',
    text: isFiltered
      ? 'No published book matches this. Try fewer words or another category.'
      : 'Books that people publish on this server appear here.',
    actions: isFiltered
      ? html`<a class="button quiet" href="/discover">Show all books</a>`
      : html`<a class="button quiet" href="/library">Go to your library</a>`,
  })
}

function pager(query: BrowseMarketplace, { page, totalPages }: DiscoveredPage): Html | '' {
  if (totalPages <= 1) return ''
  return html`<nav class="pager" aria-label="Pages of the marketplace">
    ${page > 1 ? html`<a class="button quiet" rel="prev" href="${discoverUrl(query, { page: String(page - 1) })}">${icon('chevron-left')}Previous page</a>` : ''}
    ${page < totalPages ? html`<a class="button quiet" rel="next" href="${discoverUrl(query, { page: String(page + 1) })}">Next page${icon('chevron-right')}</a>` : ''}
  </nav>`
}
