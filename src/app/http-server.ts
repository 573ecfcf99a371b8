import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { limitConnections, type ConnectionLimits, type ConnectionRefusal } from './connection-limit.ts'
import { continueWhenRead } from './expect-continue.ts'
import { joinChunks } from './join-chunks.ts'
import { handleInTurn } from './pipelined-requests.ts'
import { createSlowBodyGuard } from './slow-bodies.ts'
import { closeUnreadAnswers } from './unread-answers.ts'

export interface HttpServer {
  port: number
  /** Stops accepting requests, waits up to `timeoutMs` for running ones, then closes their connections. */
  drain(timeoutMs: number): Promise<void>
}

/** A bound server, whose requests wait until `serve` is given their handlers. */
export interface BoundServer extends HttpServer {
  serve(handlers: Handlers): void
}

interface Address {
  host: string
  port: number
}

export interface Handlers {
  fetch(request: Request, env: HttpBindings): Response | Promise<Response>
  /** Handles some paths on Node's request objects. */
  endpoint?: NodeEndpoint | undefined
  limits?: ServerLimits | undefined
  /** Default headers of responses. */
  headers?: Record<string, string> | undefined
}

/** Limits on what clients can keep open. */
export interface ServerLimits {
  connections: ConnectionLimits
  /** Maximum time for the body of a request, ms; may grow when its caller is authenticated. */
  bodyTimeLimitMs(request: IncomingMessage): number
  /** Maximum time in which a client reads nothing of an answer, ms. */
  unreadAnswerMs: number
  /** Called for each connection that a limit closes. */
  onClosed(reason: ConnectionRefusal | 'slow_body' | 'unread_answer'): void
}

/** A request handler on Node's own request and response objects. */
interface NodeEndpoint {
  matches(path: string): boolean
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
}

const timeouts = {
  headersTimeout: 20_000,
  // The maximum duration of an upload; `ServerLimits.bodyTimeLimitMs` ends other bodies earlier.
  requestTimeout: 30 * 60_000,
  keepAliveTimeout: 65_000,
  // With Node's interval of 30 seconds, slow headers could take up to 50.
  connectionsCheckingInterval: 5000,
  maxHeaderSize: 32 * 1024,
}

/** Listens on one address and passes each request to `endpoint` if it matches the path, otherwise to `fetch`. */
export async function listen({ host, port, ...handlers }: Address & Handlers): Promise<HttpServer> {
  const server = await bindServer({ host, port })
  server.serve(handlers)
  return server
}

/** Listens on one address; rejects with the system's error, such as EADDRINUSE. Requests wait for `serve`. */
export async function bindServer({ host, port }: Address): Promise<BoundServer> {
  const serving = Promise.withResolvers<void>()
  let handle: RequestListener | null = null
  const receive: RequestListener = (request, response) => {
    joinChunks(request)
    if (handle) handle(request, response)
    else void serving.promise.then(() => handle?.(request, response))
  }
  const server = createServer(timeouts, receive)
  server.on('checkContinue', (request, response) => {
    continueWhenRead(request, response)
    receive(request, response)
  })
  const unusedSockets = trackUnusedConnections(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  })
  return {
    port: (server.address() as AddressInfo).port,
    serve(handlers) {
      handle = toListener(handlers)
      const { limits } = handlers
      if (limits) {
        limitConnections(server, limits.connections, limits.onClosed)
        closeUnreadAnswers(server, limits.unreadAnswerMs, () => limits.onClosed('unread_answer'))
      }
      serving.resolve()
    },
    drain: (timeoutMs) => drain({ server, unusedSockets }, timeoutMs),
  }
}

function toListener({ fetch, endpoint, limits, headers = {} }: Handlers): RequestListener {
  const handleFetch = getRequestListener((request, env) => fetch(request, env as HttpBindings))
  const guardBody =
    limits && createSlowBodyGuard({ timeLimitMs: limits.bodyTimeLimitMs, onEnded: () => limits.onClosed('slow_body') })
  const defaults = Object.entries(headers)
  return (request, response) =>
    handleInTurn(request, response, () => {
      guardBody?.(request, response)
      for (const [name, value] of defaults) response.setHeader(name, value)
      if (endpoint?.matches(pathOf(request))) void endpoint.handle(request, response)
      else void handleFetch(request, response)
    })
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? ''
}

/** Tracks connections that have not had a request yet: browsers preconnect, and Node does not treat these as idle. */
function trackUnusedConnections(server: Server): ReadonlySet<Socket> {
  const unusedSockets = new Set<Socket>()
  server.on('connection', (socket) => {
    unusedSockets.add(socket)
    socket.once('close', () => unusedSockets.delete(socket))
  })
  // Node emits one of the two: `checkContinue` for clients that wait before they send a body.
  for (const event of ['request', 'checkContinue'] as const) {
    server.on(event, ({ socket }) => unusedSockets.delete(socket))
  }
  return unusedSockets
}

/** Interval at which idle connections are closed while the server stops, ms. */
const idleCheckIntervalMs = 50
/** Time for the first request of a new connection to arrive, ms. */
const firstRequestGraceMs = 500

async function drain(
  { server, unusedSockets }: { server: Server; unusedSockets: ReadonlySet<Socket> },
  timeoutMs: number,
) {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  // Keep-alive connections become idle after their response; only this timer closes them.
  const idleTimer = setInterval(() => server.closeIdleConnections(), idleCheckIntervalMs)
  const graceTimer = setTimeout(() => {
    for (const socket of unusedSockets) socket.destroy()
  }, firstRequestGraceMs)
  const forceTimer = setTimeout(() => server.closeAllConnections(), timeoutMs)
  await closed
  clearInterval(idleTimer)
  clearTimeout(graceTimer)
  clearTimeout(forceTimer)
}
