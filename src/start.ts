import type { Logger } from 'pino'
import { tools } from '../tools/index.ts'
import { ensureFirstAccount } from './accounts/claim-server.ts'
import { verifyApiKey } from './accounts/verify-api-key.ts'
import type { Config } from './config.ts'
import { createApp } from './http/app.ts'
import { createMetrics } from './http/metrics.ts'
import { createExtractor } from './imports/extract/supervisor.ts'
import { receiveFile } from './imports/receive-file.ts'
import { startWorkers, type Workers } from './jobs/workers.ts'
import { createMcpEndpoint } from './mcp/endpoint.ts'
import { instructions } from './mcp/instructions.ts'
import { createMcpServer } from './mcp/server.ts'
import { listen } from './server.ts'
import { openServices, type OpenServices, type Tuning } from './services.ts'
import { version } from './version.ts'
import { createFormTokens } from './web/form-token.ts'
import { mountPages } from './web/pages.ts'
import type { Site } from './web/site.ts'
import { signedInCaller } from './web/visit.ts'

export interface RunningServer {
  port: number
  open: OpenServices
  /** Finishes what runs, releases jobs and closes the store; in reverse order of the start. */
  stop(): Promise<void>
}

const drainMs = 10_000
const tidyEveryMs = 60 * 60_000

/** Starts everything that the role asks for: the store, the files, the workers and the HTTP server. */
export async function startServer(config: Config, log: Logger, tuning: Partial<Tuning> = {}): Promise<RunningServer> {
  const open = await openServices(config, tuning)
  if (config.firstAccount) await ensureFirstAccount(open.services, config.firstAccount)
  const workers = config.role === 'web' ? null : await startWorkerSide(open, log)
  const http = await listen({ host: config.host, port: config.port, fetch: createHandler(config, open, log) })
  return {
    port: http.port,
    open,
    async stop() {
      await http.drain(drainMs)
      await workers?.stop()
      await open.close()
    },
  }
}

async function startWorkerSide(
  { services, agenda, tuning }: OpenServices,
  log: Logger,
): Promise<{ stop(): Promise<void> }> {
  const extractor = createExtractor()
  const workers: Workers = await startWorkers({
    agenda,
    services: { ...services, extractor, log, leaseMs: tuning.leaseMs },
    concurrency: 2,
    // Often enough that the job of a dead worker ends within two leases.
    sweepEveryMs: tuning.leaseMs / 2,
    tidyEveryMs,
  })
  return {
    async stop() {
      // Long imports are not waited for: killing their readers releases the jobs, and another worker takes them up.
      const stopped = workers.stop(drainMs)
      setTimeout(() => void extractor.close(), drainMs / 2).unref()
      await stopped
      await extractor.close()
    },
  }
}

function createHandler(
  config: Config,
  open: OpenServices,
  log: Logger,
): (request: Request) => Response | Promise<Response> {
  const { services, secret, database } = open
  const { baseUrl, allowedOrigins, signUp, trustedProxies } = config
  const site: Site = { services, tools, baseUrl, formTokens: createFormTokens(secret), signUp, trustedProxies }
  const server = createMcpServer({ tools, name: 'lectern', version, instructions, log })
  const app = createApp({
    tools,
    services,
    log,
    allowedOrigins,
    version,
    metrics: createMetrics(),
    pages: (pages, gate) => mountPages(pages, site, gate),
    authenticate: (token, apiKeyOnly) => verifyApiKey({ ...services, log }, token, apiKeyOnly),
    signedIn: (request) => signedInCaller(site, request),
    mcp: createMcpEndpoint({ server, baseUrl, allowedOrigins }),
    receiveUpload: (token, request) => receiveFile(services, uploadOf(token, request), secret),
    ready: async () => {
      await Promise.all([database.ping(), services.files.ready()])
    },
  })
  return app.fetch
}

function uploadOf(token: string, request: Request) {
  const length = request.headers.get('content-length')
  return {
    token,
    contentType: request.headers.get('content-type'),
    contentLength: length === null ? null : Number(length),
    body: request.body ?? nothing(),
    signal: request.signal,
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
