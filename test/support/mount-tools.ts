import { pino } from 'pino'
import { anonymousActor } from '../../src/accounts/anonymous-actor.ts'
import { verifyApiKey } from '../../src/accounts/verify-api-key.ts'
import type { Context } from '../../src/app/context.ts'
import { createApp } from '../../src/http/app.ts'
import { createMetrics } from '../../src/http/metrics.ts'
import { createMcpEndpoint } from '../../src/mcp/endpoint.ts'
import { createMcpServer } from '../../src/mcp/server.ts'
import { listen, type Handlers } from '../../src/app/http-server.ts'
import { createClientAddresses } from '../../src/transport/client-address.ts'
import { createEventStreams } from '../../src/transport/event-streams.ts'
import { bindTools, type Tool } from '../../src/core/tool.ts'
import type { TestServer } from './server.ts'

export interface Mounted {
  /** The same store and accounts, with other tools on another port. */
  server: TestServer
  /** The whole log, as one text. */
  logged(): string
  close(): Promise<void>
}

/**
 * Serves custom tools of a test over both transports, on the store of a running server; `arrive` is called with each
 * request first.
 */
export async function mountTools(
  base: TestServer,
  declared: readonly Tool<Context>[],
  onRequest: (request: Request) => void = () => {},
): Promise<Mounted> {
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })
  const { services, database } = base.running.opened
  const { baseUrl } = services
  const tools = bindTools(declared, services)
  const server = createMcpServer({ tools, name: 'test', version: '0', instructions: '', log })
  const app = createApp({
    tools,
    baseUrl,
    now: () => services.now(),
    log,
    allowedOrigins: [],
    version: '0',
    streams: createEventStreams(new AbortController().signal),
    messages: services.messages,
    metrics: createMetrics(),
    metricsAccess: { token: undefined, ownPort: false },
    authenticate: (token, apiKeyOnly) => verifyApiKey({ ...services, log }, token, apiKeyOnly),
    anonymousActor: () => anonymousActor(services),
    authenticateSession: () => Promise.reject(new Error('nobody signs in here')),
    handleMcp: createMcpEndpoint({
      server,
      authenticate: (token) => verifyApiKey({ ...services, log }, token),
      messages: services.messages,
      resourceMetadataUrl: null,
      baseUrl,
      allowedOrigins: [],
    }),
    receiveUpload: () => Promise.reject(new Error('no uploads here')),
    clients: createClientAddresses(0, log),
    checkReady: async () => {
      await database.ping()
      return {}
    },
  })
  const fetch: Handlers['fetch'] = (request, env) => {
    onRequest(request)
    return app.fetch(request, env)
  }
  const http = await listen({ host: '127.0.0.1', port: 0, fetch })
  return {
    server: { ...base, baseUrl: `http://127.0.0.1:${http.port}` },
    logged: () => lines.join(''),
    close: () => http.drain(0),
  }
}
