import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'

export interface HttpServer {
  port: number
  /** Takes no new request, lets running ones finish for at most `timeoutMs`, then cuts the rest. */
  drain(timeoutMs: number): Promise<void>
}

export interface HttpServerOptions {
  host: string
  port: number
  fetch(request: Request): Response | Promise<Response>
  /** Answers some paths itself. */
  endpoint?: NodeEndpoint | undefined
}

/** A part of the server that takes requests as node gives them. */
interface NodeEndpoint {
  matches(path: string): boolean
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
}

/** Listens on one address and hands every request to a web-standard handler, or to the endpoint that takes its path. */
export async function listen({ host, port, fetch, endpoint }: HttpServerOptions): Promise<HttpServer> {
  const handleFetch = getRequestListener(fetch)
  const server = createServer(
    { headersTimeout: 20_000, requestTimeout: 30 * 60_000, keepAliveTimeout: 65_000, maxHeaderSize: 32 * 1024 },
    (request, response) =>
      endpoint?.matches(pathOf(request))
        ? void endpoint.handle(request, response)
        : void handleFetch(request, response),
  )
  const unusedSockets = trackUnusedConnections(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  })
  return {
    port: (server.address() as AddressInfo).port,
    drain: (timeoutMs) => drain({ server, unused: unusedSockets }, timeoutMs),
  }
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? ''
}

/** The connections over which nothing was asked yet: browsers open some in advance, and node takes them for busy. */
function trackUnusedConnections(server: Server): ReadonlySet<Socket> {
  const unusedSockets = new Set<Socket>()
  server.on('connection', (socket) => {
    unusedSockets.add(socket)
    socket.once('close', () => unusedSockets.delete(socket))
  })
  server.on('request', ({ socket }) => unusedSockets.delete(socket))
  return unusedSockets
}

/** How often connections that have become idle are looked for while the server stops, ms. */
const idleCheckIntervalMs = 50
/** A first request may be on its way over a new connection; after this long none is, ms. */
const firstRequestGraceMs = 500

async function drain(
  { server, unused: unusedSockets }: { server: Server; unused: ReadonlySet<Socket> },
  timeoutMs: number,
) {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  // A client keeps its connection when its answer has come: nothing else closes it then.
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
