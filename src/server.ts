import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
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
  takes(path: string): boolean
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
}

/** Listens on one address and hands every request to a web-standard handler, or to the endpoint that takes its path. */
export async function listen({ host, port, fetch, endpoint }: HttpServerOptions): Promise<HttpServer> {
  const answer = getRequestListener(fetch)
  const server = createServer(
    { headersTimeout: 20_000, requestTimeout: 30 * 60_000, keepAliveTimeout: 65_000, maxHeaderSize: 32 * 1024 },
    (request, response) =>
      endpoint?.takes(pathOf(request)) ? void endpoint.handle(request, response) : void answer(request, response),
  )
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  })
  return { port: (server.address() as AddressInfo).port, drain: (timeoutMs) => drain(server, timeoutMs) }
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? ''
}

async function drain(server: Server, timeoutMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), timeoutMs)
  await closed
  clearTimeout(timer)
}
