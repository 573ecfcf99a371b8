import type { Logger } from 'pino'
import { bodyTimeOf, type BodyTimes } from '../http/body-time.ts'
import type { Metrics } from '../http/metrics.ts'
import { reportInIntervals } from '../runtime/report-in-intervals.ts'
import type { Config } from './config.ts'
import type { ServerLimits } from './http-server.ts'

/** The limits of the connections of a server. Connections that it closes are counted and logged. */
export function createServerLimits(
  { maxConnections, trustedProxies }: Config,
  bodyTimes: BodyTimes,
  { log, metrics }: { log: Logger; metrics: Metrics },
): ServerLimits {
  const reportClosed = reportInIntervals((count) => log.warn({ count }, 'connections closed because of a limit'))
  return {
    connections: {
      max: maxConnections,
      // Behind proxies, all connections come from the proxies' addresses.
      maxPerAddress: trustedProxies > 0 ? null : Math.ceil(maxConnections / 10),
    },
    bodyTimeLimitMs: (request) => bodyTimeOf(request, bodyTimes),
    unreadAnswerMs: 30_000,
    onClosed(reason) {
      metrics.countClosed(reason)
      reportClosed()
    },
  }
}
