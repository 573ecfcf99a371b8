import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client'

export interface Metrics {
  /** Records one request; `seconds` until its response was ready. */
  observe(request: { route: string; method: string; status: number; seconds: number }): void
  /** Counts a connection that was closed because of a limit. */
  countClosed(reason: string): void
  /** Counts a call that was refused. */
  countRefusal(refused: { tool: string; code: string }): void
  /** Renders the metrics in the Prometheus text format. */
  render(): Promise<Response>
}

/** Creates the metrics of a server: Node's defaults and request durations by route. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Histogram({
    name: 'lectern_http_request_duration_seconds',
    help: 'Duration of requests in seconds, by tool or route',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const closed = new Counter({
    name: 'lectern_connections_closed_total',
    help: 'Connections closed because of a limit: all, address, slow_body',
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
    render: async () => new Response(await registry.metrics(), { headers: { 'Content-Type': registry.contentType } }),
  }
}
