import { html } from 'hono/html'
import { AppError } from '../../../core/errors.ts'
import type { Html } from '../../components/html.ts'
import { respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import type { Site } from '../../site.ts'
import type { Visit } from '../../visit.ts'
import type { ApiDocument } from './reference/api-document.ts'
import { findEntries, listEntries, type Entry } from './find-operations.ts'
import { docsFrame } from './frame.ts'
import { guides } from './guides/index.ts'
import type { Guide, GuideContext } from './guides/guide.ts'
import { methodBadge, operationSection } from './parts/operation-section.ts'
import { prose } from './parts/prose.ts'
import { overview } from './overview.ts'
import { readReference, type Group } from './reference/read-reference.ts'
import { respondWithIndex } from './search-index.ts'
import { searchResults } from './search-results.ts'

/** Mounts the API reference for people: an overview, guides, and a page for each group of operations. */
export function mountDocs(routes: PageRoutes, site: Site): void {
  // Created at the first visit, so that it does not slow down the start of the server.
  let made: Docs | undefined
  const docs = () => (made ??= buildDocs(site))
  routes.publicPage('GET', '/docs', (visit) => respondWithOverview(visit, docs()))
  routes.publicPage('GET', '/docs/search.json', (visit) => respondWithIndex(visit, docs().entries))
  routes.publicPage('GET', '/docs/:page', (visit) => respondWithPage(visit, docs()))
}

interface Docs extends GuideContext {
  entries: readonly Entry[]
  /** Cache of rendered pages, by slug. */
  rendered: Map<string, { title: string; content: Html }>
}

function buildDocs({ describeApi, tools, baseUrl, oauth, services: { plans } }: Site): Docs {
  const reference = readReference(describeApi() as ApiDocument, tools)
  return { reference, baseUrl, oauth, plans, entries: listEntries(reference), rendered: new Map() }
}

function respondWithOverview(visit: Visit, docs: Docs): Promise<Response> {
  const query = visit.url.searchParams.get('q')?.trim().slice(0, maxQueryLength) ?? ''
  if (query === '') {
    return respond(visit, docs, { title: 'API reference', content: overview(docs, visit.signedIn !== null) })
  }
  const content = searchResults(query, findEntries(docs.entries, query))
  return respond(visit, docs, { title: `${query} · API reference`, content, words: query })
}

const maxQueryLength = 100

function respondWithPage(visit: Visit, docs: Docs): Promise<Response> {
  const slug = visit.params['page'] ?? ''
  const page = docs.rendered.get(slug) ?? renderPage(slug, docs)
  if (!page) throw new AppError('NOT_FOUND', `The reference has no page ${slug}. See /docs.`)
  docs.rendered.set(slug, page)
  return respond(visit, docs, page)
}

/** Renders a guide, the operations of a group, or both if they have the same topic. */
function renderPage(slug: string, docs: Docs): { title: string; content: Html } | null {
  const guide = guides.find((candidate) => candidate.slug === slug)
  const group = docs.reference.groups.find((candidate) => candidate.slug === slug)
  if (!guide && !group) return null
  return {
    title: guide?.title ?? group?.title ?? '',
    content: html`${guide ? guidePage(guide, docs) : ''} ${group ? groupPage(group, docs, !guide) : ''}`,
  }
}

function guidePage({ title, lead, content }: Guide, docs: Docs): Html {
  return html`<article class="guide">
    <h1>${title}</h1>
    <p class="lead">${lead}</p>
    ${content(docs)}
  </article>`
}

function groupPage({ title, description, operations }: Group, { reference, baseUrl }: Docs, isWhole: boolean): Html {
  return html`${isWhole ? html`<h1>${title}</h1>` : html`<h2 class="docs-group">Operations</h2>`}
    ${description === '' ? '' : html`<p class="lead">${prose(description)}</p>`}
    <ul class="operation-index">
      ${operations.map(
        ({ id, title: name, route }) =>
          html`<li>
            ${route ? methodBadge(route.method) : ''}<a href="#${id}">${name}</a> <code>${route?.path}</code>
          </li>`,
      )}
    </ul>
    ${operations.map((operation) => operationSection(operation, { reference, baseUrl }))}`
}

interface Page {
  title: string
  content: Html
  words?: string
}

function respond(visit: Visit, { reference }: Docs, { title, content, words = '' }: Page): Promise<Response> {
  // Search results have no entry in the left column.
  const path = words === '' ? visit.url.pathname : ''
  return respondPage(visit, {
    title,
    content: docsFrame({ reference, path, words }, content),
    width: 'full',
    scripts: ['copy-buttons', 'docs'],
    revalidated: true,
  })
}
