import type { Hono } from 'hono'
import { AppError } from '../core/errors.ts'
import { routePath, type Declaration } from '../core/tool.ts'
import { errorResponse } from '../transport/refusals.ts'
import type { Env } from '../transport/request-state.ts'

interface ApiRoute {
  method: string
  path: string
}

/** Routes other than those of capabilities. */
const otherRoutes: ApiRoute[] = [
  { method: 'GET', path: '/api/v1/openapi.json' },
  { method: 'PUT', path: '/api/v1/upload/blob/{token}' },
]

/** Methods that work on every path: CORS answers OPTIONS, and HEAD is answered like GET. */
const untouchedMethods = new Set(['OPTIONS', 'HEAD'])

/**
 * Refuses a method that an API path does not support with METHOD_NOT_ALLOWED and an `Allow` header (RFC 9110, section
 * 15.5.6). It is mounted after the routes, so it receives only requests that match none.
 */
export function refuseUnsupportedMethods(app: Hono<Env>, tools: readonly Declaration[]): void {
  const routes = [...tools.flatMap(routesOf), ...otherRoutes]
  for (const path of new Set(routes.map((route) => route.path))) {
    app.all(path.replaceAll(/\{(\w+)\}/g, ':$1'), async (c, next) => {
      if (untouchedMethods.has(c.req.method)) return next()
      const methods = routes.filter((route) => matches(route.path, c.req.path)).map(({ method }) => method)
      const allowed = [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].join(
        ', ',
      )
      const refusal = new AppError('METHOD_NOT_ALLOWED', `${c.req.method} is not supported here. Use ${allowed}.`)
      return errorResponse(refusal, { ...c.get('requestState'), headers: { Allow: allowed } })
    })
  }
}

function routesOf({ rest }: Declaration): ApiRoute[] {
  if (!rest) return []
  const watched = rest.events ? [{ method: 'GET', path: routePath({ ...rest, ...rest.events }) }] : []
  const own = [rest.method, ...(rest.otherMethods ?? [])].map((method) => ({ method, path: routePath(rest) }))
  return [...own, ...watched]
}

function matches(pattern: string, path: string): boolean {
  const [expected, segments] = [pattern.split('/'), path.split('/')]
  return (
    expected.length === segments.length &&
    expected.every((part, index) => (part.startsWith('{') ? segments[index] !== '' : part === segments[index]))
  )
}
