import { mcpPath } from '../core/mcp-path.ts'
import { Hono, type HonoRequest, type MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { Log } from '../core/context.ts'
import { AppError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { BoundTool, CallPolicies } from '../core/tool.ts'
import type { ClientAddresses } from '../transport/client-address.ts'
import type { EventStreams } from '../transport/event-streams.ts'
import { clientDisconnectedStatus, errorResponse } from '../transport/refusals.ts'
import type { Env, Authenticator, RequestState } from '../transport/request-state.ts'
import { noteRequestState, uploadOperation } from './body-time.ts'
import type { Metrics } from './metrics.ts'
import { requireMetricsAccess, type MetricsAccess } from './metrics-access.ts'
import { openApiDocument } from './openapi/document.ts'
import { refuseUnsupportedMethods } from './refuse-unsupported-methods.ts'
import { mountRest } from './rest.ts'

export interface AppOptions {
  tools: readonly BoundTool[]
  baseUrl: string
  now: () => Date
  authenticate: Authenticator['authenticate']
  authenticateSession: Authenticator['authenticateSession']
  anonymousActor: Authenticator['anonymousActor']
  log: Log & { child(fields: object): Log }
  /** Browser origins that may call the API, besides the base URL's own. */
  allowedOrigins: readonly string[]
  version: string
  metrics: Metrics
  metricsAccess: MetricsAccess
  /** Serves `/api/v1/mcp`. */
  handleMcp(request: Request, requestState: RequestState, authenticator: Authenticator): Promise<Response>
  /** Handles the PUT to a signed upload URL; sets `actorId` once the URL is known to be valid. */
  receiveUpload(token: string, request: Request, requestState: RequestState): Promise<unknown>
  /**
   * Throws if the database or the file store is unreachable; returns the further fields of the `/readyz` response
   * besides `ok`.
   */
  checkReady(): Promise<object>
  clients: ClientAddresses
  /** The open event streams of all accounts. */
  streams: EventStreams
  /** The turns of calls with a body over REST. */
  messages: CallPolicies['costlyCalls']
  /** Mounts the HTML pages. */
  mountPages?: (app: Hono<Env>, authenticator: Authenticator) => void
}

/** Creates the HTTP application: health, REST, MCP, uploads and pages. */
export function createApp(options: AppOptions): Hono<Env> {
  const app = new Hono<Env>()
  const authenticator = createAuthenticator(options)
  app.use(async (c, next) => {
    const started = performance.now()
    const requestId = newId()
    const requestState: RequestState = {
      requestId,
      log: options.log.child({ requestId }),
      operationName: '',
      actorId: null,
      clientAddress: options.clients.addressOf(c.req.raw, c.env?.incoming?.socket.remoteAddress),
      rateStatus: null,
      endWhenSent(end) {
        const outgoing = c.env?.outgoing
        if (outgoing && !outgoing.closed) outgoing.once('close', end)
        else end()
      },
    }
    c.set('requestState', requestState)
    if (c.env?.incoming) noteRequestState(c.env.incoming, requestState)
    await next()
    // Reading `c.res.headers` would materialise the response; the node response takes the header directly.
    if (c.env?.outgoing) c.env.outgoing.setHeader('X-Request-Id', requestId)
    else c.res.headers.set('X-Request-Id', requestId)
    recordRequest(options.metrics, c.req, { requestState, status: c.res.status, ms: performance.now() - started })
  })
  mountHealthRoutes(app, options)
  mountOpenApi(app, options)
  app.use('/api/v1/*', createCors(options))
  app.put('/api/v1/upload/blob/:token', async (c) => {
    const requestState = c.get('requestState')
    requestState.operationName = uploadOperation
    return Response.json(await options.receiveUpload(c.req.param('token'), c.req.raw, requestState))
  })
  app.all(mcpPath, (c) => options.handleMcp(c.req.raw, c.get('requestState'), authenticator))
  mountRest(app, options.tools, { ...options, authenticator })
  refuseUnsupportedMethods(app, options.tools)
  options.mountPages?.(app, authenticator)
  app.onError((error, c) => errorResponse(error, c.get('requestState')))
  app.notFound((c) =>
    errorResponse(
      new AppError('NOT_FOUND', `No route for ${c.req.method} ${c.req.path}. See /docs.`),
      c.get('requestState'),
    ),
  )
  return app
}

/** The OpenAPI document, which all requests share: each copy of it would take up almost a megabyte until it has been sent. */
function mountOpenApi(app: Hono<Env>, options: AppOptions): void {
  const path = '/api/v1/openapi.json'
  let document: Uint8Array<ArrayBuffer> | undefined
  app.options(path, cors())
  app.get(path, () => {
    document ??= new TextEncoder().encode(JSON.stringify(openApiDocument(options)))
    // The middleware for CORS would copy the document.
    const headers = { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'public, max-age=300' }
    return new Response(document, { headers: { 'Content-Type': 'application/json', ...headers } })
  })
}

function createAuthenticator({ now, authenticate, authenticateSession, anonymousActor }: AppOptions): Authenticator {
  return {
    authenticate,
    authenticateSession,
    anonymousActor,
    createCall(request, requestState, caller) {
      return {
        ...caller,
        now,
        signal: request.signal,
        log: requestState.log,
        requestId: requestState.requestId,
        clientAddress: requestState.clientAddress,
        reportRateStatus: (rate) => {
          requestState.rateStatus = rate
        },
        sessionId: request.headers.get('x-ck-session'),
        clientName: clientNameOf(request),
        idempotencyKey: null,
        newId: () => newId(now()),
      }
    },
  }
}

/** The first product of the `User-Agent` header (RFC 9110, section 10.1.5), at most 80 characters. */
function clientNameOf(request: Request): string | null {
  return request.headers.get('user-agent')?.split(' ')[0]?.slice(0, 80) || null
}

/** CORS for requests with an `Origin` header; others pass unchanged. */
function createCors({ baseUrl, allowedOrigins }: AppOptions): MiddlewareHandler<Env> {
  const allowed = new Set([new URL(baseUrl).origin, ...allowedOrigins])
  const corsMiddleware = cors({
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
  return (c, next) => (c.req.raw.headers.has('origin') ? corsMiddleware(c, next) : next())
}

/**
 * A response header for `lectern doctor --url`: how many proxies a request came through, if that differs from the
 * number of trusted proxies.
 */
const proxiesHeader = 'X-Lectern-Proxies'

function mountHealthRoutes(app: Hono<Env>, { checkReady, clients, metrics, metricsAccess }: AppOptions): void {
  app.get('/healthz', (c) => c.json({ ok: true }))
  app.get('/readyz', async (c) => {
    const mismatch = clients.mismatchOf(c.req.raw)
    if (mismatch) c.header(proxiesHeader, `received=${mismatch.received}, trusted=${mismatch.trusted}`)
    try {
      return c.json({ ok: true, ...(await checkReady()) })
    } catch (error) {
      c.get('requestState').log.warn({ err: error }, 'not ready')
      return c.json({ ok: false }, 503)
    }
  })
  app.get('/metrics', (c) => {
    requireMetricsAccess(c.req.raw, c.env?.incoming, metricsAccess)
    return metrics.render()
  })
}

interface RequestOutcome {
  requestState: RequestState
  status: number
  ms: number
}

const debugLoggedPaths = new Set(['/healthz', '/readyz', '/metrics'])

function recordRequest(
  metrics: Metrics,
  request: HonoRequest,
  { requestState, status: responseStatus, ms }: RequestOutcome,
): void {
  const { operationName, actorId, log } = requestState
  const disconnected = request.raw.signal.aborted
  const status = disconnected ? clientDisconnectedStatus : responseStatus
  metrics.observe({ route: operationName || 'other', method: request.method, status, seconds: ms / 1000 })
  const fields = {
    method: request.method,
    route: operationName || undefined,
    status,
    // The status of a call that completed after its client disconnected.
    statusNotSent: disconnected && responseStatus !== clientDisconnectedStatus ? responseStatus : undefined,
    ms: Math.round(ms),
    actor: actorId,
  }
  if (debugLoggedPaths.has(request.path)) log.debug(fields, 'request')
  else log.info(fields, 'request')
}
