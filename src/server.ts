import { createServer, type Server } from 'node:http'
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
}

/** Listens on one address and hands every request to a web-standard handler. */
export async function listen({ host, port, fetch }: HttpServerOptions): Promise<HttpServer> {
  const server = createServer(
    { headersTimeout: 20_000, requestTimeout: 30 * 60_000, keepAliveTimeout: 65_000, maxHeaderSize: 32 * 1024 },
    getRequestListener(fetch, { overrideGlobalObjects: false }),
  )
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  })
  return { port: (server.address() as AddressInfo).port, drain: (timeoutMs) => drain(server, timeoutMs) }
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
