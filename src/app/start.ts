import { fileFormats } from '../books/file-formats.ts'
import { laneOf } from '../imports/lane.ts'
import type { Logger } from 'pino'
import { openOauth, type Oauth } from '../../oauth/open.ts'
import { tools as lecternTools } from '../../tools/index.ts'
import { oauthTokenPrefix } from '../accounts/api-key.ts'
import { anonymousActor } from '../accounts/anonymous-actor.ts'
import { ensureFirstAccount } from '../accounts/claim-server.ts'
import { verifyApiKey } from '../accounts/verify-api-key.ts'
import type { Config } from './config.ts'
import { createApp } from '../http/app.ts'
import { defaultHeaders } from '../http/default-headers.ts'
import { openApiDocument } from '../http/openapi/document.ts'
import { createMetricsHandler } from '../http/metrics-access.ts'
import { createMetrics, type Metrics } from '../http/metrics.ts'
import { startEmbedding } from '../embeddings/worker.ts'
import { createServerHealth, type ServerHealth } from '../health/health.ts'
import type { InstalledRecognition } from '../health/text-recognition.ts'
import { createExtractor } from '../imports/extract/create-extractor.ts'
import type { Extractor } from '../imports/extract/extractor.ts'
import { receiveUploadedFile } from '../imports/receive-uploaded-file.ts'
import { startWorkers, type Workers } from '../jobs/workers.ts'
import { createMcpEndpoint } from '../mcp/endpoint.ts'
import { instructions } from '../mcp/instructions.ts'
import type { McpExtension } from '../mcp/extension.ts'
import { createMcpServer } from '../mcp/server.ts'
import { bindServer, type BoundServer } from './http-server.ts'
import { openBackups } from './backups.ts'
import type { Context, Services } from './context.ts'
import { healthChecksOf } from './health.ts'
import { migrateInBackground, raiseLibrary } from './migrate.ts'
import { openRecognition } from './recognition.ts'
import { warnOfChangedSecret } from './warn-of-changed-secret.ts'
import { warnOfUntrustedProxy } from './warn-of-untrusted-proxy.ts'
import { openWatchedFolder } from './watched-folder.ts'
import { createServerLimits } from './server-limits.ts'
import { openServices, type OpenedServices, type Tuning } from './services.ts'
import { version } from '../core/version.ts'
import { createFormTokens } from '../web/form-tokens.ts'
import { createKnownBrowsers } from '../web/known-browsers.ts'
import { createClientAddresses } from '../transport/client-address.ts'
import { createEventStreams, type EventStreams } from '../transport/event-streams.ts'
import { toUploadRequest } from './upload-request.ts'
import { mountOpds } from '../opds/mount-opds.ts'
import { mountPages } from '../web/pages/mount-pages.ts'
import { createPageRoutes } from '../web/routes.ts'
import { bindTools, type BoundTool, type Tool } from '../core/tool.ts'
import type { Site } from '../web/site.ts'
import { sessionActor } from '../web/visit.ts'

export interface RunningServer {
  port: number
  /** The separate port of the metrics; null: they are on the main port. */
  metricsPort: number | null
  opened: OpenedServices
  metrics: Metrics
  /** Finishes running requests, releases jobs and closes the services, in reverse order of the start. */
  stop(): Promise<void>
}

const drainTimeoutMs = 10_000
const cleanupIntervalMs = 60 * 60_000

/** Tools and MCP features in addition to Lectern's own, an optional bound port, and an optional extractor. */
export interface ServerExtensions {
  server?: BoundServer
  /** Reads the books in place of the server's own extractor. It is closed when the server stops. */
  extractor?: Extractor
  extraTools?: readonly Tool<Context>[]
  extension?: McpExtension
}

/**
 * Binds the port unless one is given and the port of the metrics, then starts the services, the workers (unless the role is `web`), and serves
 * requests. If it throws, nothing is left running.
 */
export async function startServer(
  config: Config,
  log: Logger,
  { server, ...options }: Partial<Tuning> & ServerExtensions = {},
): Promise<RunningServer> {
  const { host, metricsPort } = config
  const bound: BoundServer[] = []
  try {
    const http = server ?? (await bindServer(config))
    bound.push(http)
    const metricsServer = metricsPort === undefined ? null : await bindServer({ host, port: metricsPort })
    if (metricsServer) bound.push(metricsServer)
    return await startOnPorts({ http, metricsServer }, { config, log, ...options })
  } catch (error) {
    await Promise.all(bound.map((each) => each.drain(0)))
    throw error
  }
}

interface BoundServers {
  http: BoundServer
  /** On the separate port of the metrics, if there is one. */
  metricsServer: BoundServer | null
}

interface StartOptions extends Partial<Tuning>, Omit<ServerExtensions, 'server'> {
  config: Config
  log: Logger
}

async function startOnPorts(
  { http, metricsServer }: BoundServers,
  { config, log, extraTools = [], extension, extractor, ...tuning }: StartOptions,
): Promise<RunningServer> {
  warnOfUntrustedProxy(config, log)
  const opened = await openServices(config, tuning)
  try {
    await raiseLibrary(opened, log)
    await warnOfChangedSecret(config, opened, log)
    await opened.services.files.assertReady()
    if (config.firstAccount) await ensureFirstAccount(opened.services, config.firstAccount)
    const oauth = config.oauth ? openOauth(oauthOptions(config, opened, log)) : null
    const shutdown = new AbortController()
    const metrics = createMetrics()
    const { embedder, embeddings } = opened.services
    if (embedder !== null) metrics.watchEmbeddings({ ...embedder, countWaiting: () => embeddings.countWaiting() })
    const tools = bindTools<Services>([...lecternTools, ...extraTools], opened.services, metrics.countRefusal)
    const limits = createServerLimits(config, opened.tuning.bodyTimes, { log, metrics })
    const workers = config.role === 'web' ? null : await startBackgroundWorkers(config, opened, { log, extractor })
    const findRecognition = workers && (() => Promise.resolve(workers.recogniser))
    const health = createServerHealth(healthChecksOf(config, opened, findRecognition), opened.services)
    const handlers = { config, opened, oauth, log, tools, metrics, extension, health, shutdownSignal: shutdown.signal }
    const fetch = createHandler(handlers)
    const headers = defaultHeaders(config.baseUrl)
    const fetchMetrics = createMetricsHandler(metrics, { log, token: config.metricsToken })
    metricsServer?.serve({ fetch: fetchMetrics, limits, headers })
    http.serve({ fetch, endpoint: oauth?.endpoint, limits, headers })
    return {
      port: http.port,
      metricsPort: metricsServer?.port ?? null,
      opened,
      metrics,
      async stop() {
        shutdown.abort()
        await Promise.all([http.drain(drainTimeoutMs), metricsServer?.drain(drainTimeoutMs)])
        await workers?.stop()
        await opened.close()
      },
    }
  } catch (error) {
    await opened.close()
    throw error
  }
}

async function startBackgroundWorkers(
  config: Config,
  opened: OpenedServices,
  { log, extractor: given }: { log: Logger; extractor: Extractor | undefined },
): Promise<{ recogniser: InstalledRecognition; stop(): Promise<void> }> {
  const { services, jobQueue, tuning } = opened
  const extractor = given ?? createExtractor(tuning.readers)
  // Starting a process takes longer than sending a short file. Markdown needs nothing that is worth loading in advance.
  services.queue.onExpected(({ accountId, format }) => {
    if (laneOf(fileFormats[format].sourceType) === 'layout') extractor.warmUp(format, accountId)
  })
  const recognition = await openRecognition(config, { log, codeCache: tuning.readers.codeCache ?? null })
  const workers: Workers = await startWorkers({
    jobQueue,
    services: { ...services, extractor, ocr: recognition.ocr, log, leaseDurationMs: tuning.leaseMs },
    concurrency: { layout: 2, text: 1, short: 1, first: 1 },
    // Ensures that the job of a dead worker is taken over within two leases.
    sweepIntervalMs: tuning.leaseMs / 2,
    cleanupIntervalMs,
    backUpIfDue: await openBackups(config, opened, log),
    migrate: migrateInBackground(opened, log),
  })
  recognition.start({ ...services, log, leaseDurationMs: tuning.leaseMs }, tuning.recognition)
  const { embedder } = services
  const embedding = embedder === null ? null : startEmbedding({ ...services, embedder, log }, tuning.embedding)
  const watch = openWatchedFolder(config, services, log)
  return {
    recogniser: recognition.ocr.recogniser,
    async stop() {
      const othersEnded = Promise.all([recognition.stop(), embedding?.stop(), watch?.stop()])
      // Does not wait for long imports: killing their extractors releases the jobs to another worker.
      const stopped = workers.stop(drainTimeoutMs)
      setTimeout(() => void extractor.close(), drainTimeoutMs / 2).unref()
      await stopped
      await extractor.close()
      await othersEnded
    },
  }
}

function oauthOptions(config: Config, opened: OpenedServices, log: Logger) {
  const { oauthClientHosts: clientHosts, oauthRedirectSchemes: redirectSchemes } = config
  return { ...config, ...opened, ...opened.tuning, clientHosts, redirectSchemes, log }
}

interface HandlerDependencies {
  config: Config
  opened: OpenedServices
  oauth: Oauth | null
  log: Logger
  tools: readonly BoundTool[]
  metrics: Metrics
  extension: McpExtension | undefined
  health: ServerHealth
  shutdownSignal: AbortSignal
}

function createSite({ config, opened, tools, health }: HandlerDependencies, streams: EventStreams): Site {
  const { services, secret } = opened
  const { baseUrl, signUp, oauth } = config
  return {
    services,
    tools,
    baseUrl,
    health,
    streams,
    formTokens: createFormTokens(secret),
    knownBrowsers: createKnownBrowsers(secret),
    signUp,
    describeApi: () => openApiDocument({ tools, baseUrl, version }),
    oauth,
  }
}

function createHandler(dependencies: HandlerDependencies) {
  const { config, opened, oauth, log, tools, metrics, extension, shutdownSignal } = dependencies
  const { services, secret, database } = opened
  const { baseUrl, allowedOrigins, trustedProxies } = config
  const streams = createEventStreams(shutdownSignal)
  const site = createSite(dependencies, streams)
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
    streams,
    messages: services.messages,
    clients: createClientAddresses(trustedProxies, log),
    metrics,
    metricsAccess: { token: config.metricsToken, ownPort: config.metricsPort !== undefined },
    mountPages(pages, authenticator) {
      mountOpds(pages, { services, tools, authenticator, baseUrl })
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
      messages: services.messages,
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
      const { embedder, embeddings } = services
      return embedder === null ? {} : { embeddings: { waitingPages: await embeddings.countWaiting() } }
    },
  })
  return app.fetch
}
