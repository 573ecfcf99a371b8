import { Hono, type HonoRequest, type MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { Log } from '../core/context.ts'
import { AppError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { BoundTool } from '../core/tool.ts'
import { clientGone, errorResponse } from '../transport/refusals.ts'
import type { Env, Gate, Scene } from '../transport/request-state.ts'
import type { Metrics } from './metrics.ts'
import { openApiDocument } from './openapi.ts'
import { mountRest } from './rest.ts'

export interface AppOptions {
  tools: readonly BoundTool[]
  baseUrl: string
  now: () => Date
  authenticate: Gate['authenticate']
  signedIn: Gate['signedIn']
  anonymous: Gate['anonymous']
  log: Log & { child(fields: object): Log }
  /** Browser origins that may call the API, beside the base URL's own. */
  allowedOrigins: readonly string[]
  version: string
  metrics: Metrics
  /** Serves `/api/v1/mcp`. */
  mcp(request: Request, scene: Scene, gate: Gate): Promise<Response>
  /** Takes the one PUT of a signed upload address. */
  receiveUpload(token: string, request: Request): Promise<unknown>
  /** Throws while a part that requests need is out of reach. */
  ready(): Promise<void>
  /** Aborted when the server stops: what would go on without end, ends. */
  ending: AbortSignal
  /** Routes for people. */
  pages?: (app: Hono<Env>, gate: Gate) => void
}

/** Everything that Lectern answers over HTTP, as a web-standard handler. */
export function createApp(options: AppOptions): Hono<Env> {
  const app = new Hono<Env>()
  const gate = createGate(options)
  app.use(async (c, next) => {
    const started = performance.now()
    const requestId = newId()
    const scene: Scene = { requestId, log: options.log.child({ requestId }), name: '', actorId: null, rate: null }
    c.set('scene', scene)
    await next()
    // Asking a response for its headers makes them: node takes this one by itself.
    if (c.env?.outgoing) c.env.outgoing.setHeader('X-Request-Id', requestId)
    else c.res.headers.set('X-Request-Id', requestId)
    conclude(options.metrics, c.req, { scene, status: c.res.status, ms: performance.now() - started })
  })
  mountOperations(app, options)
  app.use('/api/v1/openapi.json', cors())
  app.use('/api/v1/*', corsFor(options))
  const document = openApiDocument(options)
  app.get('/api/v1/openapi.json', () => new Response(document, { headers: { 'Content-Type': 'application/json' } }))
  app.put('/api/v1/upload/blob/:token', async (c) => {
    c.get('scene').name = 'receive_upload'
    return Response.json(await options.receiveUpload(c.req.param('token'), c.req.raw))
  })
  app.all('/api/v1/mcp', (c) => options.mcp(c.req.raw, c.get('scene'), gate))
  mountRest(app, options.tools, { gate, ending: options.ending })
  options.pages?.(app, gate)
  app.onError((error, c) => errorResponse(error, c.get('scene')))
  app.notFound((c) =>
    errorResponse(
      new AppError('NOT_FOUND', `There is nothing at ${c.req.method} ${c.req.path}. See /docs.`),
      c.get('scene'),
    ),
  )
  return app
}

function createGate({ now, authenticate, signedIn, anonymous }: AppOptions): Gate {
  return {
    authenticate,
    signedIn,
    anonymous,
    call(request, scene, caller) {
      return {
        ...caller,
        now,
        signal: request.signal,
        log: scene.log,
        requestId: scene.requestId,
        noteRate: (rate) => {
          scene.rate = rate
        },
        sessionId: request.headers.get('x-ck-session'),
        client: clientOf(request),
        idempotencyKey: null,
        newId: () => newId(now()),
      }
    },
  }
}

/** The product that a `User-Agent` header names first (RFC 9110, section 10.1.5). */
function clientOf(request: Request): string | null {
  return request.headers.get('user-agent')?.split(' ')[0]?.slice(0, 80) || null
}

/** Only what browsers send across origins names one; every other request is passed on untouched. */
function corsFor({ baseUrl, allowedOrigins }: AppOptions): MiddlewareHandler<Env> {
  const allowed = new Set([new URL(baseUrl).origin, ...allowedOrigins])
  const answer = cors({
    origin: (origin) => (allowed.has(origin) ? origin : null),
    exposeHeaders: [
      'Retry-After',
      'RateLimit-Limit',
      'RateLimit-Remaining',
      'RateLimit-Reset',
      'X-Request-Id',
      'WWW-Authenticate',
    ],
    maxAge: 600,
  })
  return (c, next) => (c.req.raw.headers.has('origin') ? answer(c, next) : next())
}

function mountOperations(app: Hono<Env>, { ready, metrics }: AppOptions): void {
  app.get('/healthz', (c) => c.json({ ok: true }))
  app.get('/readyz', async (c) => {
    try {
      await ready()
      return c.json({ ok: true })
    } catch (error) {
      c.get('scene').log.warn({ err: error }, 'not ready')
      return c.json({ ok: false }, 503)
    }
  })
  app.get('/metrics', () => metrics.render())
}

interface Outcome {
  scene: Scene
  status: number
  ms: number
}

const quietPaths = new Set(['/healthz', '/readyz', '/metrics'])

function conclude(metrics: Metrics, request: HonoRequest, { scene, status: ready, ms }: Outcome): void {
  const { name, actorId, log } = scene
  const gone = request.raw.signal.aborted
  const status = gone ? clientGone : ready
  metrics.observe({ route: name || 'other', method: request.method, status, seconds: ms / 1000 })
  const fields = {
    method: request.method,
    route: name || undefined,
    status,
    // What was done all the same, because it had begun.
    unsent: gone && ready !== clientGone ? ready : undefined,
    ms: Math.round(ms),
    actor: actorId,
  }
  if (quietPaths.has(request.path)) log.debug(fields, 'request')
  else log.info(fields, 'request')
}
