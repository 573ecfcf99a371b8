import type { Logger } from 'pino'
import { openOauth, type Oauth } from '../../oauth/open.ts'
import { tools as lecternTools } from '../../tools/index.ts'
import { oauthTokenPrefix } from '../accounts/api-key.ts'
import { anonymousActor } from '../accounts/anonymous-actor.ts'
import { ensureFirstAccount } from '../accounts/claim-server.ts'
import { verifyApiKey } from '../accounts/verify-api-key.ts'
import type { Config } from './config.ts'
import { createApp } from '../http/app.ts'
import { bodyTimeOf, type BodyTimes } from '../http/body-time.ts'
import { defaultHeaders } from '../http/default-headers.ts'
import { createMetricsHandler } from '../http/metrics-access.ts'
import { createMetrics, type Metrics } from '../http/metrics.ts'
import { createExtractor } from '../imports/extract/create-extractor.ts'
import { receiveUploadedFile } from '../imports/receive-uploaded-file.ts'
import { startWorkers, type Workers } from '../jobs/workers.ts'
import { createMcpEndpoint } from '../mcp/endpoint.ts'
import { instructions } from '../mcp/instructions.ts'
import type { McpExtension } from '../mcp/extension.ts'
import { createMcpServer } from '../mcp/server.ts'
import { reportInIntervals } from './connection-limit.ts'
import { listen, type HttpServer, type HttpServerOptions, type ServerLimits } from './http-server.ts'
import type { Context, Services } from './context.ts'
import { openServices, type OpenedServices, type Tuning } from './services.ts'
import { version } from './version.ts'
import { createFormTokens } from '../web/form-tokens.ts'
import { mountPages } from '../web/pages.ts'
import { createPageRoutes } from '../web/routes.ts'
import { bindTools, type BoundTool, type Tool } from '../core/tool.ts'
import type { Site } from '../web/site.ts'
import { sessionActor } from '../web/visit.ts'

export interface RunningServer {
  port: number
  /** The port of the metrics; null: they are on the main port. */
  metricsPort: number | null
  opened: OpenedServices
  /** Finishes running requests, releases jobs and closes the services, in reverse order of the start. */
  stop(): Promise<void>
}

const drainTimeoutMs = 10_000
const cleanupIntervalMs = 60 * 60_000

/** Tools and MCP features besides Lectern's own. */
export interface ServerExtensions {
  extraTools?: readonly Tool<Context>[]
  extension?: McpExtension
}

/** Starts the services, the workers unless the role is `web`, and the HTTP server. */
export async function startServer(
  config: Config,
  log: Logger,
  { extraTools = [], extension, ...tuning }: Partial<Tuning> & ServerExtensions = {},
): Promise<RunningServer> {
  const opened = await openServices(config, tuning)
  if (config.firstAccount) await ensureFirstAccount(opened.services, config.firstAccount)
  const workers = config.role === 'web' ? null : await startBackgroundWorkers(opened, log)
  const oauth = config.oauth
    ? openOauth({
        ...config,
        ...opened,
        ...opened.tuning,
        clientHosts: config.oauthClientHosts,
        redirectSchemes: config.oauthRedirectSchemes,
        log,
      })
    : null
  const shutdown = new AbortController()
  const tools = bindTools<Services>([...lecternTools, ...extraTools], opened.services)
  const metrics = createMetrics()
  const fetch = createHandler({
    config,
    opened,
    oauth,
    log,
    tools,
    metrics,
    extension,
    shutdownSignal: shutdown.signal,
  })
  const limits = createServerLimits(config, opened.tuning.bodyTimes, { log, metrics })
  const headers = defaultHeaders(config.baseUrl)
  const { host, port } = config
  const http = await listen({ host, port, fetch, endpoint: oauth?.endpoint, limits, headers })
  const metricsServer = await listenForMetrics(config, { metrics, log, limits, headers })
  return {
    port: http.port,
    metricsPort: metricsServer?.port ?? null,
    opened,
    async stop() {
      shutdown.abort()
      await Promise.all([http.drain(drainTimeoutMs), metricsServer?.drain(drainTimeoutMs)])
      await workers?.stop()
      await opened.close()
    },
  }
}

async function startBackgroundWorkers(
  { services, agenda, tuning }: OpenedServices,
  log: Logger,
): Promise<{ stop(): Promise<void> }> {
  const extractor = createExtractor()
  const workers: Workers = await startWorkers({
    agenda,
    services: { ...services, extractor, log, leaseDurationMs: tuning.leaseMs },
    concurrency: 2,
    // So that the job of a dead worker is taken over within two leases.
    sweepIntervalMs: tuning.leaseMs / 2,
    cleanupIntervalMs,
  })
  return {
    async stop() {
      // Does not wait for long imports: killing their extractors releases the jobs to another worker.
      const stopped = workers.stop(drainTimeoutMs)
      setTimeout(() => void extractor.close(), drainTimeoutMs / 2).unref()
      await stopped
      await extractor.close()
    },
  }
}

function listenForMetrics(
  { host, metricsPort, metricsToken }: Config,
  { metrics, log, ...options }: { metrics: Metrics; log: Logger } & Pick<HttpServerOptions, 'limits' | 'headers'>,
): Promise<HttpServer> | null {
  if (metricsPort === undefined) return null
  return listen({
    ...options,
    host,
    port: metricsPort,
    fetch: createMetricsHandler(metrics, { log, token: metricsToken }),
  })
}

function createServerLimits(
  { maxConnections, trustedProxies }: Config,
  bodyTimes: BodyTimes,
  { log, metrics }: { log: Logger; metrics: Metrics },
): ServerLimits {
  const reportClosed = reportInIntervals((count) => log.warn({ count }, 'connections closed because of a limit'))
  return {
    connections: {
      max: maxConnections,
      // Behind proxies all connections come from their addresses.
      maxPerAddress: trustedProxies > 0 ? null : Math.ceil(maxConnections / 10),
    },
    bodyTimeLimitMs: (request) => bodyTimeOf(request, bodyTimes),
    onClosed(reason) {
      metrics.countClosed(reason)
      reportClosed()
    },
  }
}

interface HandlerDependencies {
  config: Config
  opened: OpenedServices
  oauth: Oauth | null
  log: Logger
  tools: readonly BoundTool[]
  metrics: Metrics
  extension: McpExtension | undefined
  shutdownSignal: AbortSignal
}

function createHandler(dependencies: HandlerDependencies) {
  const { config, opened, oauth, log, tools, metrics, extension, shutdownSignal } = dependencies
  const { services, secret, database } = opened
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
  const authenticateApiKey = (token: string, apiKeyOnly = false) =>
    verifyApiKey({ ...services, log }, token, apiKeyOnly)
  const app = createApp({
    tools,
    baseUrl,
    now: () => services.now(),
    log,
    allowedOrigins,
    version,
    shutdownSignal,
    metrics,
    metricsAccess: { token: config.metricsToken, ownPort: config.metricsPort !== undefined },
    mountPages(pages, authenticator) {
      const routes = createPageRoutes(pages, site, authenticator)
      mountPages(pages, site, routes)
      oauth?.mountDocuments(pages)
      oauth?.mountPages(routes)
      routes.notFoundPage()
    },
    authenticate: authenticateApiKey,
    authenticateSession: (request) => sessionActor(site, request),
    anonymousActor: () => anonymousActor(services),
    handleMcp: createMcpEndpoint({
      server,
      authenticate: (token) =>
        oauth && token.startsWith(oauthTokenPrefix) ? oauth.authenticate(token) : authenticateApiKey(token),
      resourceMetadataUrl: oauth && `${baseUrl}/.well-known/oauth-protected-resource`,
      baseUrl,
      allowedOrigins,
    }),
    receiveUpload: (token, request, requestState) =>
      receiveUploadedFile(services, toUploadRequest(token, request), {
        secret,
        onAdmitted: (accountId) => {
          requestState.actorId = accountId
        },
      }),
    checkReady: async () => {
      await Promise.all([database.ping(), services.files.assertReady()])
    },
  })
  return app.fetch
}

function toUploadRequest(token: string, request: Request) {
  const length = request.headers.get('content-length')
  return {
    token,
    contentType: request.headers.get('content-type'),
    contentLength: length === null ? null : Number(length),
    body: request.body ?? emptyBody(),
    signal: request.signal,
  }
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}
