import type { Context as HonoContext, Hono } from 'hono'
import type { BookAccessStores } from '../books/access.ts'
import type { FileAnswer } from '../core/file-answer.ts'
import { AppError } from '../core/errors.ts'
import { requireScope, type BoundTool, type CallPolicies } from '../core/tool.ts'
import { runCancellable } from '../core/cancellation.ts'
import type { FileStores } from '../files/store.ts'
import { findCover } from '../imports/pictures/find-cover.ts'
import type { PictureServices } from '../imports/pictures/pictures.ts'
import { matchesEtag, weakTagOf } from '../transport/entity-tag.ts'
import { rateHeaders, restBudget } from '../transport/rate-headers.ts'
import { errorResponse } from '../transport/refusals.ts'
import type { Authenticator, Env } from '../transport/request-state.ts'
import { respondFile } from '../transport/respond-file.ts'
import type { Call } from '../core/context.ts'
import { catalogueKey } from './credentials.ts'
import { atomTypes, jsonTypes, type Feed } from './feed.ts'
import {
  loadBooks,
  loadFound,
  loadRoot,
  loadShelf,
  loadShelves,
  type Catalogue,
  type CatalogueServices,
} from './load-feed.ts'
import { writeAtom, writeSearchDescription } from './write-atom.ts'
import { writeJson } from './write-json.ts'

type OpdsServices = Omit<CatalogueServices, keyof Call> & BookAccessStores & FileStores & PictureServices & CallPolicies

export interface OpdsOptions {
  services: OpdsServices
  tools: readonly BoundTool[]
  authenticator: Authenticator
  baseUrl: string
}

type Context = Call & OpdsServices
type Answer = (ctx: Context, c: HonoContext<Env>) => Promise<Response>

/**
 * Mounts the catalogues for reading apps: OPDS 1.2 at /opds and OPDS 2.0 at /opds/v2. Callers send an API key as the password
 * of HTTP Basic authentication, or as a Bearer token; feeds count as searches.
 */
export function mountOpds(app: Hono<Env>, options: OpdsOptions): void {
  const { baseUrl } = options
  const atomRoot = `${baseUrl}/opds`
  const jsonRoot = `${baseUrl}/opds/v2`
  const description = { rel: 'search', href: `${atomRoot}/search.xml`, type: 'application/opensearchdescription+xml' }
  const template = { rel: 'search', href: `${jsonRoot}/search{?query}`, type: jsonTypes.acquisition }
  app.get('/opds/authentication.json', () => authenticationDocument(baseUrl, 200))
  app.get(
    '/opds/search.xml',
    () =>
      new Response(writeSearchDescription(`${atomRoot}/search?q={searchTerms}`), {
        headers: { 'Content-Type': description.type, 'Cache-Control': 'public, max-age=3600' },
      }),
  )
  mountCatalogue(app, options, {
    catalogue: { root: atomRoot, types: atomTypes, search: description },
    path: '/opds',
    write: writeAtom,
  })
  mountCatalogue(app, options, {
    catalogue: { root: jsonRoot, types: jsonTypes, search: template },
    path: '/opds/v2',
    write: writeJson,
  })
  mountFiles(app, options)
}

function mountCatalogue(
  app: Hono<Env>,
  options: OpdsOptions,
  { catalogue, path, write }: { catalogue: Catalogue; path: string; write: (feed: Feed) => string },
): void {
  const mount = (below: string, load: (ctx: Context, c: HonoContext<Env>, query: URLSearchParams) => Promise<Feed>) =>
    app.get(
      `${path}${below}`,
      answering(options, async (ctx, c) => {
        ctx.reportRateStatus(await ctx.rateLimiter.consume(ctx.actor.id, 'searches'))
        const feed = await load(ctx, c, new URL(c.req.url).searchParams)
        return respondFeed(c.req.raw, write(feed), {
          'Content-Type': feedType(catalogue, feed),
          ...rateHeaders(c.get('requestState').rateStatus),
        })
      }),
    )
  mount('', (ctx) => loadRoot(ctx, catalogue))
  mount('/books', (ctx, _, query) => loadBooks(ctx, catalogue, query))
  mount('/search', (ctx, _, query) => loadFound(ctx, catalogue, query))
  mount('/shelves', (ctx) => loadShelves(ctx, catalogue))
  mount('/shelves/:shelf', (ctx, c, query) => loadShelf(ctx, catalogue, { shelf: c.req.param('shelf') ?? '', query }))
}

const feedType = ({ types }: Catalogue, { content }: Feed) => `${types[content.kind]}; charset=utf-8`

/** Mounts the targets of entries: files, as the tools return them, and covers. */
function mountFiles(app: Hono<Env>, options: OpdsOptions): void {
  const download = (below: string, name: string, fields: object) => {
    const tool = options.tools.find((candidate) => candidate.name === name)
    if (!tool) throw new Error(`There is no tool ${name}`)
    app.get(
      `/opds/books/:id/${below}`,
      answering(options, async (ctx, c) => {
        const raw = { itemId: c.req.param('id') ?? '', ...fields }
        const answer = (await tool.call(ctx, async () => ({ raw, idempotencyKey: null }))) as FileAnswer
        return respondFile(c.req.raw, answer, rateHeaders(c.get('requestState').rateStatus))
      }),
    )
  }
  download('file', 'get_item_file', {})
  download('epub', 'export_item', { format: 'epub' })
  app.get(
    '/opds/books/:id/cover',
    answering(options, async (ctx, c) => {
      const { tag, load } = await findCover(ctx, { id: c.req.param('id') ?? '' })
      const headers = { ETag: tag, 'Cache-Control': 'private, max-age=600' }
      if (matchesEtag(c.req.header('if-none-match') ?? null, tag)) return new Response(null, { status: 304, headers })
      const { mediaType, bytes } = await load()
      return new Response(bytes as Uint8Array<ArrayBuffer>, { headers: { ...headers, 'Content-Type': mediaType } })
    }),
  )
}

/** Authenticates the caller, checks the scope, and answers. A caller without a key learns how to send one. */
function answering({ services, authenticator, baseUrl }: OpdsOptions, answer: Answer) {
  return async (c: HonoContext<Env>): Promise<Response> => {
    const requestState = c.get('requestState')
    requestState.operationName = `opds ${c.req.routePath}`
    try {
      const actor = await authenticator.authenticate(catalogueKey(c.req.header('authorization') ?? null))
      requestState.actorId = actor.id
      const call = authenticator.createCall(c.req.raw, requestState, { actor, transport: 'rest', budget: restBudget })
      requireScope(call, 'library:read')
      return await runCancellable(call.signal, () => answer({ ...services, ...call }, c))
    } catch (error) {
      if (error instanceof AppError && error.code === 'UNAUTHENTICATED') return authenticationDocument(baseUrl, 401)
      return errorResponse(error, requestState)
    }
  }
}

function respondFeed(request: Request, body: string, typed: Record<string, string>): Response {
  const etag = weakTagOf(body)
  const headers = { ...typed, ETag: etag, 'Cache-Control': 'private, no-cache', Vary: 'Authorization' }
  if (matchesEtag(request.headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers })
  return new Response(body, { headers })
}

/** The sign-in instructions (Authentication for OPDS 1.0), which are also the body of 401. */
function authenticationDocument(baseUrl: string, status: 200 | 401): Response {
  const href = `${baseUrl}/opds/authentication.json`
  const type = 'application/opds-authentication+json'
  const body = {
    id: href,
    title: 'Lectern',
    description: `Your email address as the user name and an API key as the password. Keys are made at ${baseUrl}/keys.`,
    links: [
      { rel: 'start', href: `${baseUrl}/opds/v2`, type: jsonTypes.navigation },
      { rel: 'register', href: `${baseUrl}/keys`, type: 'text/html' },
    ],
    authentication: [
      { type: 'http://opds-spec.org/auth/basic', labels: { login: 'Email address', password: 'API key' } },
    ],
  }
  const challenge = {
    'WWW-Authenticate': 'Basic realm="Lectern", charset="UTF-8"',
    Link: `<${href}>; rel="http://opds-spec.org/auth/document"; type="${type}"`,
  }
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': type, ...(status === 401 ? challenge : {}) },
  })
}
