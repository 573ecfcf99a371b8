import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Log } from '../core/context.ts'
import { AppError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { bearerToken } from '../transport/authentication.ts'
import { errorResponse } from '../transport/refusals.ts'
import type { Metrics } from './metrics.ts'
import { loopbackHosts } from '../runtime/loopback-hosts.ts'

/** How access to `/metrics` is controlled. */
export interface MetricsAccess {
  /** The bearer token that scrapers must send; undefined: no token is required. */
  token: string | undefined
  /** True if the metrics are served on a separate port. */
  ownPort: boolean
}

const loopbackAddresses = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1'])
const forwardingHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

/**
 * Refuses a request for metrics on the server's main port: with UNAUTHENTICATED if a token is configured and was not
 * sent; with NOT_FOUND if none is configured, unless a program on this computer asks directly. A local proxy is
 * recognised by its forwarding headers and by the host that it passes on.
 */
export function requireMetricsAccess(
  { headers }: Request,
  incoming: Pick<IncomingMessage, 'socket'> | undefined,
  { token, ownPort }: MetricsAccess,
): void {
  if (ownPort) throw new AppError('NOT_FOUND', 'The metrics are on the port that LECTERN_METRICS_PORT names.')
  if (token !== undefined) return requireMetricsToken(headers, token)
  const isForwarded = forwardingHeaders.some((name) => headers.has(name))
  const host = URL.parse(`http://${headers.get('host') ?? ''}`)?.hostname ?? ''
  const isLocal = loopbackAddresses.has(incoming?.socket.remoteAddress ?? '') && loopbackHosts.has(host)
  if (isLocal && !isForwarded) return
  const message = 'Only this computer gets the metrics. To get them from elsewhere, the administrator sets'
  throw new AppError('NOT_FOUND', `${message} LECTERN_METRICS_TOKEN or LECTERN_METRICS_PORT.`)
}

/** Refuses requests without the token with UNAUTHENTICATED. Compares in constant time. */
function requireMetricsToken(headers: Headers, token: string): void {
  const [expected, actual] = [token, bearerToken(headers.get('authorization'))].map((text) =>
    createHash('sha256').update(text).digest(),
  )
  if (expected && actual && timingSafeEqual(expected, actual)) return
  throw new AppError('UNAUTHENTICATED', 'This is not the token of the metrics (LECTERN_METRICS_TOKEN).')
}

/** Serves only the metrics, for a separate port. */
export function createMetricsHandler(
  metrics: Pick<Metrics, 'render'>,
  { token, log }: { token: string | undefined; log: Log },
): (request: Request) => Promise<Response> {
  return async (request) => {
    try {
      if (new URL(request.url).pathname !== '/metrics')
        throw new AppError('NOT_FOUND', 'Only /metrics is on this port.')
      if (token !== undefined) requireMetricsToken(request.headers, token)
      return await metrics.render()
    } catch (error) {
      return errorResponse(error, { requestId: newId(), log })
    }
  }
}
