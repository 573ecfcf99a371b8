import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'

export interface HttpServer {
  port: number
  /** Stops accepting requests, waits up to `timeoutMs` for running ones, then closes their connections. */
  drain(timeoutMs: number): Promise<void>
}

/** A server whose requests wait until `serve` has named what handles them. */
export interface BoundServer extends HttpServer {
  serve(handlers: Handlers): void
}

interface Address {
  host: string
  port: number
}

interface Handlers {
  fetch(request: Request): Response | Promise<Response>
  /** Handles some paths on node's request objects. */
  endpoint?: NodeEndpoint | undefined
}

/** A request handler on node's own request and response objects. */
interface NodeEndpoint {
  matches(path: string): boolean
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
}

/** Listens on one address and passes each request to `endpoint` if it matches the path, else to `fetch`. */
export async function listen({ host, port, ...handlers }: Address & Handlers): Promise<HttpServer> {
  const server = await bindServer({ host, port })
  server.serve(handlers)
  return server
}

/** Listens on one address; rejects with the error of the system, such as EADDRINUSE. Requests wait for `serve`. */
export async function bindServer({ host, port }: Address): Promise<BoundServer> {
  const serving = Promise.withResolvers<void>()
  let handle: RequestListener | null = null
  const server = createServer(
    { headersTimeout: 20_000, requestTimeout: 30 * 60_000, keepAliveTimeout: 65_000, maxHeaderSize: 32 * 1024 },
    (request, response) =>
      handle ? handle(request, response) : void serving.promise.then(() => handle?.(request, response)),
  )
  const unusedSockets = trackUnusedConnections(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  })
  return {
    port: (server.address() as AddressInfo).port,
    serve(handlers) {
      handle = toListener(handlers)
      serving.resolve()
    },
    drain: (timeoutMs) => drain({ server, unusedSockets }, timeoutMs),
  }
}

function toListener({ fetch, endpoint }: Handlers): RequestListener {
  const handleFetch = getRequestListener(fetch)
  return (request, response) =>
    endpoint?.matches(pathOf(request)) ? void endpoint.handle(request, response) : void handleFetch(request, response)
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? ''
}

/** Tracks connections without a request so far: browsers preconnect, and node does not treat these as idle. */
function trackUnusedConnections(server: Server): ReadonlySet<Socket> {
  const unusedSockets = new Set<Socket>()
  server.on('connection', (socket) => {
    unusedSockets.add(socket)
    socket.once('close', () => unusedSockets.delete(socket))
  })
  server.on('request', ({ socket }) => unusedSockets.delete(socket))
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
