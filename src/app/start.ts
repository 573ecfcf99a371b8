import type { Logger } from 'pino'
import { openOauth, type Oauth } from '../../oauth/open.ts'
import { tools as lecternTools } from '../../tools/index.ts'
import { oauthPrefix } from '../accounts/api-key.ts'
import { anonymousCaller } from '../accounts/anonymous-actor.ts'
import { ensureFirstAccount } from '../accounts/claim-server.ts'
import { verifyApiKey } from '../accounts/verify-api-key.ts'
import type { Config } from './config.ts'
import { createApp } from '../http/app.ts'
import { createMetrics } from '../http/metrics.ts'
import { createExtractor } from '../imports/extract/create-extractor.ts'
import { receiveFile } from '../imports/receive-uploaded-file.ts'
import { startWorkers, type Workers } from '../jobs/workers.ts'
import { createMcpEndpoint } from '../mcp/endpoint.ts'
import { instructions } from '../mcp/instructions.ts'
import type { McpExtension } from '../mcp/extension.ts'
import { createMcpServer } from '../mcp/server.ts'
import { listen } from './http-server.ts'
import type { Context, Services } from './context.ts'
import { openServices, type OpenServices, type Tuning } from './services.ts'
import { version } from './version.ts'
import { createFormTokens } from '../web/form-tokens.ts'
import { mountPages } from '../web/pages.ts'
import { pageRoutes } from '../web/routes.ts'
import { bindTools, type BoundTool, type Tool } from '../core/tool.ts'
import type { Site } from '../web/site.ts'
import { signedInCaller } from '../web/visit.ts'

export interface RunningServer {
  port: number
  open: OpenServices
  /** Finishes what runs, releases jobs and closes the store; in reverse order of the start. */
  stop(): Promise<void>
}

const drainMs = 10_000
const tidyEveryMs = 60 * 60_000

/** What a server offers beside Lectern's own. */
export interface Additions {
  extraTools?: readonly Tool<Context>[]
  extension?: McpExtension
}

/** Starts everything that the role asks for: the store, the files, the workers and the HTTP server. */
export async function startServer(
  config: Config,
  log: Logger,
  { extraTools = [], extension, ...tuning }: Partial<Tuning> & Additions = {},
): Promise<RunningServer> {
  const open = await openServices(config, tuning)
  if (config.firstAccount) await ensureFirstAccount(open.services, config.firstAccount)
  const workers = config.role === 'web' ? null : await startWorkerSide(open, log)
  const oauth = config.oauth
    ? openOauth({ ...config, ...open, ...open.tuning, clientHosts: config.oauthClientHosts, log })
    : null
  const ending = new AbortController()
  const tools = bindTools<Services>([...lecternTools, ...extraTools], open.services)
  const fetch = createHandler({ config, open, oauth, log, tools, extension, ending: ending.signal })
  const http = await listen({ host: config.host, port: config.port, fetch, endpoint: oauth?.endpoint })
  return {
    port: http.port,
    open,
    async stop() {
      ending.abort()
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

interface Parts {
  config: Config
  open: OpenServices
  oauth: Oauth | null
  log: Logger
  tools: readonly BoundTool[]
  extension: McpExtension | undefined
  ending: AbortSignal
}

function createHandler({ config, open, oauth, log, tools, extension, ending }: Parts) {
  const { services, secret, database } = open
  const { baseUrl, allowedOrigins, signUp, trustedProxies } = config
  const site: Site = {
    services,
    tools,
    baseUrl,
    formTokens: createFormTokens(secret),
    signUp,
    oauth: config.oauth,
    trustedProxies,
  }
  const server = createMcpServer({ tools, name: 'lectern', version, instructions, log, extension })
  const byKey = (token: string, apiKeyOnly = false) => verifyApiKey({ ...services, log }, token, apiKeyOnly)
  const app = createApp({
    tools,
    baseUrl,
    now: () => services.now(),
    log,
    allowedOrigins,
    version,
    ending,
    metrics: createMetrics(),
    pages(pages, gate) {
      const routes = pageRoutes(pages, site, gate)
      mountPages(pages, site, routes)
      oauth?.mountDocuments(pages)
      oauth?.mountPages(routes)
      routes.missing()
    },
    authenticate: byKey,
    signedIn: (request) => signedInCaller(site, request),
    anonymous: () => anonymousCaller(services),
    mcp: createMcpEndpoint({
      server,
      authenticate: (token) => (oauth && token.startsWith(oauthPrefix) ? oauth.verify(token) : byKey(token)),
      metadata: oauth && `${baseUrl}/.well-known/oauth-protected-resource`,
      baseUrl,
      allowedOrigins,
    }),
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
