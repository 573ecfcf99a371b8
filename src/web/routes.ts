import type { Context as HonoContext, Hono } from 'hono'
import type { Env, Authenticator } from '../transport/request-state.ts'
import { clientDisconnectedStatus, toRefusal } from '../transport/refusals.ts'
import { ClientDisconnected } from '../core/cancellation.ts'
import { AppError } from '../core/errors.ts'
import { canonicalUrl } from './canonical-url.ts'
import { toFormProblem } from './form.ts'
import { signInAgainPath, signInPath } from './next-url.ts'
import { requireSameOrigin } from './require-same-origin.ts'
import { redirect, respondWithProblem } from './respond.ts'
import { scriptRefusal } from './script-answers.ts'
import type { Site } from './site.ts'
import {
  authenticateVisit,
  createVisit,
  requireCsrfHeader,
  sessionRequired,
  type SignedInVisit,
  type Visit,
} from './visit.ts'

type PageAnswer = Response | Promise<Response>

/** Mounts pages. An error thrown by a handler becomes an error page. */
export interface PageRoutes {
  /** Mounts a page that needs no sign-in. */
  publicPage(method: 'GET' | 'POST', path: string, handle: (visit: Visit) => PageAnswer): void
  /** Mounts a page that needs a sign-in; redirects other visitors to the sign-in page and back. */
  signedInPage(method: 'GET' | 'POST', path: string, handle: (visit: SignedInVisit) => PageAnswer): void
  /**
   * Mounts a route for scripts of pages, which use the session. Methods other than GET need its CSRF token in
   * `X-CSRF-Token`. Refusals are JSON: `{ error: { code, message } }`.
   */
  scriptRoute(method: 'GET' | 'POST', path: string, handle: (visit: SignedInVisit) => PageAnswer): void
  /** Mounts the page for unknown paths; call it last. Other clients than browsers get the JSON error of the API. */
  notFoundPage(): void
}

/** Mounts pages on an app. Refuses cross-site POST requests before the handler runs. */
export function createPageRoutes(app: Hono<Env>, site: Site, authenticator: Authenticator): PageRoutes {
  const serve = async (c: HonoContext<Env>, name: string, answer: (visit: Visit) => PageAnswer): Promise<Response> => {
    const { request, requestState } = { request: c.req.raw, requestState: c.get('requestState') }
    requestState.operationName = name
    let visit = createVisit(site, { request, requestState, params: c.req.param() })
    const canonical = request.method === 'GET' ? canonicalUrl(visit.url, site.baseUrl) : null
    if (canonical !== null) return redirect(visit, canonical)
    try {
      visit = await authenticateVisit(visit, authenticator)
      requireSameOrigin(request, site.baseUrl)
      return await inTurn(c, visit.ctx, () => answer(visit))
    } catch (error) {
      if (error instanceof ClientDisconnected) return new Response(null, { status: clientDisconnectedStatus })
      if (!toRefusal(error)) requestState.log.error({ err: error }, 'page failed')
      return respondWithProblem(visit, toFormProblem(error))
    }
  }
  const paths = { GET: [] as string[], POST: [] as string[] }
  const routes: PageRoutes = {
    publicPage(method, path, answer) {
      paths[method].push(path)
      app.on(method, path, (c) => serve(c, `page ${path}`, answer))
    },
    signedInPage(method, path, answer) {
      routes.publicPage(method, path, (visit) => {
        const { signedIn, ctx, url } = visit
        if (signedIn && ctx) return answer({ ...visit, signedIn, ctx })
        if (method === 'GET') return redirect(visit, signInPath(url.pathname + url.search))
        return redirect(visit, signInAgainPath(visit))
      })
    },
    scriptRoute(method, path, answer) {
      app.on(method, path, async (c) => {
        const { request, requestState } = { request: c.req.raw, requestState: c.get('requestState') }
        requestState.operationName = `script ${path}`
        try {
          const visit = createVisit(site, { request, requestState, params: c.req.param() })
          const { signedIn, ctx } = await authenticateVisit(visit, authenticator)
          if (!signedIn || !ctx) throw sessionRequired(site)
          requireSameOrigin(request, site.baseUrl)
          requireCsrfHeader({ site, request, signedIn })
          return await inTurn(c, ctx, () => answer({ ...visit, signedIn, ctx }))
        } catch (error) {
          if (error instanceof ClientDisconnected) return new Response(null, { status: clientDisconnectedStatus })
          if (!toRefusal(error)) requestState.log.error({ err: error }, 'script route failed')
          return scriptRefusal(error)
        }
      })
    },
    notFoundPage() {
      app.get('/*', (c) => {
        const isBrowser = c.req.header('accept')?.includes('text/html') && !c.req.path.startsWith('/api/')
        return isBrowser ? serve(c, 'page not found', (visit) => answerUnknownPath(visit, paths)) : c.notFound()
      })
    },
  }
  return routes
}

/**
 * Answers a visit of an account when it is its turn. The turn ends when a page has been sent, so that pages that nobody reads do
 * not pile up; files are produced as they are read.
 */
async function inTurn(
  c: HonoContext<Env>,
  ctx: SignedInVisit['ctx'] | null,
  answer: () => PageAnswer,
): Promise<Response> {
  if (ctx === null) return answer()
  let isPage = false
  const endWhenSent = (end: () => void) => {
    const { outgoing } = c.env
    if (isPage && outgoing && !outgoing.closed) outgoing.once('close', end)
    else end()
  }
  return ctx.pageVisits.run({ ...ctx, endWhenSent }, async () => {
    const response = await answer()
    isPage = response.headers.get('content-type')?.startsWith('text/html') ?? false
    return response
  })
}

function answerUnknownPath(visit: Visit, paths: Parameters<typeof pageOfFormPath>[1]): Response {
  const { pathname } = visit.url
  const page = pageOfFormPath(pathname, paths)
  if (page === null) throw new AppError('NOT_FOUND', `No page found at ${pathname}.`)
  return redirect(visit, page)
}

/**
 * The page above a path that only forms are sent to, for browsers that open it again after a refused form; null for
 * other paths.
 */
function pageOfFormPath(path: string, { GET, POST }: Record<'GET' | 'POST', readonly string[]>): string | null {
  if (!isOneOf(POST, path)) return null
  const parts = path.split('/')
  const above = parts.slice(1).map((_, index) => parts.slice(0, -1 - index).join('/') || '/')
  return above.find((candidate) => isOneOf(GET, candidate)) ?? null
}

/** True if a path is one of these patterns, such as `/books/:id`; a pattern with wildcards is only equal to itself. */
function isOneOf(patterns: readonly string[], path: string): boolean {
  const parts = path.split('/')
  return patterns.some((pattern) => {
    const expected = pattern.split('/')
    return expected.length === parts.length && expected.every((part, at) => part === parts[at] || /^:\w+$/.test(part))
  })
}
