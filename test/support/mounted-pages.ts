import { Hono } from 'hono'
import { pino } from 'pino'
import { openOauth } from '../../oauth/open.ts'
import type { Services } from '../../src/app/context.ts'
import { bindTools } from '../../src/core/tool.ts'
import { createServerHealth } from '../../src/health/health.ts'
import { createEventStreams } from '../../src/transport/event-streams.ts'
import type { Env, Authenticator } from '../../src/transport/request-state.ts'
import { createFormTokens } from '../../src/web/form-tokens.ts'
import { createKnownBrowsers } from '../../src/web/known-browsers.ts'
import { mountPages } from '../../src/web/pages/mount-pages.ts'
import { createPageRoutes } from '../../src/web/routes.ts'
import type { Site } from '../../src/web/site.ts'
import { tools } from '../../tools/index.ts'
import type { TestServer } from './server.ts'

/** The paths of the pages and forms that a server mounts, such as `/books/:id`, in alphabetical order. */
export function mountedPaths({ running }: Pick<TestServer, 'running'>, wanted: 'GET' | 'POST'): string[] {
  const { services, secret } = running.opened
  const { baseUrl } = services
  const site: Site = {
    services,
    tools: bindTools<Services>(tools, services),
    baseUrl,
    health: createServerHealth([], services),
    streams: createEventStreams(new AbortController().signal),
    formTokens: createFormTokens(secret),
    knownBrowsers: createKnownBrowsers(secret),
    signUp: 'open',
    describeApi: () => ({ paths: {} }),
    oauth: true,
  }
  const [app, nobody] = [new Hono<Env>(), {} as Authenticator]
  const log = pino({ level: 'silent' })
  const options = {
    services,
    secret,
    allowedOrigins: [],
    clientHosts: [],
    redirectSchemes: [],
    trustedProxies: 0,
    fetch,
    log,
  }
  const routes = createPageRoutes(app, site, nobody)
  mountPages(app, site, routes)
  openOauth(options).mountPages(routes)
  routes.notFoundPage()
  const mounted = app.routes.filter(({ method, path }) => method === wanted && !path.startsWith('/assets/'))
  return [...new Set(mounted.map(({ path }) => path))].toSorted()
}
