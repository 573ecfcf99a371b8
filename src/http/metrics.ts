import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

export interface Metrics {
  /** Records one request; `seconds` is the time until its response was ready. */
  observe(request: { route: string; method: string; status: number; seconds: number }): void
  /** Counts a connection that was closed because of a limit. */
  countClosed(reason: string): void
  /** Counts a refused call. */
  countRefusal(refused: { tool: string; code: string }): void
  /**
   * Exposes the requests to the embedding service and the pages that wait for it; `countWaiting` is called at each
   * scrape.
   */
  watchEmbeddings(service: WatchedEmbeddings): void
  /** Renders the metrics in the Prometheus text format. */
  render(): Promise<Response>
}

/** The metrics of the embedding service. */
export interface WatchedEmbeddings {
  countWaiting(): Promise<number>
  onRequest(listener: (kind: string, outcome: string) => void): void
}

let ofProcess: Registry | undefined

/**
 * Node's default metrics, collected once for all servers of this process, because their observers of the event loop
 * (100 times a second) and of garbage collections can never be removed.
 */
function processMetrics(): Registry {
  if (ofProcess === undefined) {
    ofProcess = new Registry()
    collectDefaultMetrics({ register: ofProcess })
  }
  return ofProcess
}

/** Creates the metrics of a server: Node's defaults and request durations by route. */
export function createMetrics(): Metrics {
  const defaults = processMetrics()
  const registry = new Registry()
  const requests = new Histogram({
    name: 'lectern_http_request_duration_seconds',
    help: 'Duration of requests in seconds, by tool or route',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const closed = new Counter({
    name: 'lectern_connections_closed_total',
    help: 'Connections closed because of a limit: all, address, slow_body, unread_answer',
    labelNames: ['reason'],
    registers: [registry],
  })
  const refusals = new Counter({
    name: 'lectern_refusals_total',
    help: 'Refused calls of capabilities, over REST, MCP and pages, by error code',
    labelNames: ['tool', 'code'],
    registers: [registry],
  })
  return {
    countRefusal: ({ tool, code }) => refusals.labels(tool, code).inc(),
    countClosed: (reason) => closed.labels(reason).inc(),
    observe: ({ route, method, status, seconds }) => requests.labels(route, method, String(status)).observe(seconds),
    watchEmbeddings: (service) => watchEmbeddings(registry, service),
    render: async () => {
      const texts = await Promise.all([defaults.metrics(), registry.metrics()])
      return new Response(texts.join('\n'), { headers: { 'Content-Type': registry.contentType } })
    },
  }
}

function watchEmbeddings(registry: Registry, { countWaiting, onRequest }: WatchedEmbeddings): void {
  const requests = new Counter({
    name: 'lectern_embeddings_requests_total',
    help: 'Requests to the embedding service, for pages and queries: answered, failed',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
  })
  onRequest((kind, outcome) => requests.labels(kind, outcome).inc())
  const waiting = new Gauge({
    name: 'lectern_embeddings_waiting_pages',
    help: 'Pages that have no vector yet',
    registers: [],
    async collect() {
      this.set(await countWaiting())
    },
  })
  registry.registerMetric(waiting)
}
