import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context as HonoContext, Hono } from 'hono'
import type { Env, Gate } from '../transport/request-state.ts'
import { asRefusal } from '../transport/refusals.ts'
import { AppError } from '../core/errors.ts'
import { clientAddress } from './client-address.ts'
import { problemOf } from './form.ts'
import { signInPath } from './next-url.ts'
import { refuseForeignOrigin } from './require-same-origin.ts'
import { redirect, respondProblem } from './respond.ts'
import type { Site } from './site.ts'
import { arrive, openVisit, type SignedVisit, type Visit } from './visit.ts'

type Answer = Response | Promise<Response>

/** Where pages are mounted. What they throw becomes a page that says so. */
export interface PageRoutes {
  /** A page for everybody. */
  open(method: 'GET' | 'POST', path: string, answer: (visit: Visit) => Answer): void
  /** A page for those who are signed in; others are led to the sign-in page and back. */
  signedIn(method: 'GET' | 'POST', path: string, answer: (visit: SignedVisit) => Answer): void
  /** The page for addresses at which there is nothing, mounted last. Programs are answered as by the API. */
  missing(): void
}

/** Mounts pages on an app. A POST that another site sent is refused before anything else. */
export function pageRoutes(app: Hono<Env>, site: Site, gate: Gate): PageRoutes {
  const serve = async (c: HonoContext<Env>, name: string, answer: (visit: Visit) => Answer): Promise<Response> => {
    const { request, scene } = { request: c.req.raw, scene: c.get('scene') }
    scene.name = name
    let visit = arrive(site, { request, scene, params: c.req.param(), client: clientOf(c, site) })
    try {
      visit = await openVisit(visit, gate)
      refuseForeignOrigin(request, site.baseUrl)
      return await answer(visit)
    } catch (error) {
      if (!asRefusal(error)) scene.log.error({ err: error }, 'page failed')
      return respondProblem(visit, problemOf(error))
    }
  }
  const routes: PageRoutes = {
    open(method, path, answer) {
      app.on(method, path, (c) => serve(c, `page ${path}`, answer))
    },
    signedIn(method, path, answer) {
      routes.open(method, path, (visit) => {
        const { signedIn, ctx, url } = visit
        if (signedIn && ctx) return answer({ ...visit, signedIn, ctx })
        return redirect(visit, signInPath(method === 'GET' ? url.pathname + url.search : '/account'))
      })
    },
    missing() {
      app.get('/*', (c) => {
        const byPerson = c.req.header('accept')?.includes('text/html') && !c.req.path.startsWith('/api/')
        return byPerson ? serve(c, 'no page', refuseAddress) : c.notFound()
      })
    },
  }
  return routes
}

function refuseAddress({ url }: Visit): never {
  throw new AppError('NOT_FOUND', `There is no page at ${url.pathname}.`)
}

function clientOf(c: HonoContext<Env>, { trustedProxies }: Site): string {
  const peer = getConnInfo(c).remote.address ?? 'unknown'
  return clientAddress(peer, c.req.header('x-forwarded-for') ?? null, trustedProxies)
}
