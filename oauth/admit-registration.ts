import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AttemptLimiter } from '../src/accounts/attempt-limiter.ts'
import type { Log } from '../src/core/context.ts'
import { clientAddress, reportedAddress } from '../src/transport/client-address.ts'
import { toRefusal } from '../src/transport/refusals.ts'

export interface RegistrationLimits {
  attempts: AttemptLimiter
  trustedProxies: number
  log: Log
  origins: ReadonlySet<string>
}

/** Answers CORS preflights and rate-limits registrations by client address; returns false if it has responded. */
export async function admitRegistration(
  request: IncomingMessage,
  response: ServerResponse,
  { attempts, trustedProxies, origins, log }: RegistrationLimits,
): Promise<boolean> {
  const { origin } = request.headers
  response.setHeader('Vary', 'Origin')
  if (origin !== undefined && origins.has(origin)) response.setHeader('Access-Control-Allow-Origin', origin)
  if (request.method === 'OPTIONS') {
    response.setHeader('Access-Control-Allow-Methods', 'POST')
    response.setHeader('Access-Control-Allow-Headers', 'Content-Type')
    response.setHeader('Access-Control-Max-Age', '600')
    response.writeHead(204).end()
    return false
  }
  if (request.method !== 'POST') return true
  try {
    await countRegistration(request, { attempts, trustedProxies })
    return true
  } catch (error) {
    const refusal = toRefusal(error)
    if (!refusal) log.error({ err: error }, 'registration failed')
    const retryAfter = refusal?.retryAfterSeconds
    response.writeHead(refusal?.code === 'RATE_LIMITED' ? 429 : 503, {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
    })
    const error_description = refusal?.message ?? 'Try again in a moment.'
    response.end(JSON.stringify({ error: 'temporarily_unavailable', error_description }))
    return false
  }
}

/**
 * Counts a registration. Each client that an untrusted proxy reports has its own window, and all clients of that proxy
 * share a larger one. So a client that forges addresses can exhaust only the shared window of its proxy.
 */
async function countRegistration(
  { socket, headers }: IncomingMessage,
  { attempts, trustedProxies }: Pick<RegistrationLimits, 'attempts' | 'trustedProxies'>,
): Promise<void> {
  const forwardedFor = headers['x-forwarded-for']?.toString() ?? null
  const address = clientAddress(socket.remoteAddress ?? 'unknown', forwardedFor, trustedProxies)
  const reported = reportedAddress(forwardedFor, trustedProxies)
  await attempts.consume('register_client', reported === null ? address : `${reported} by ${address}`)
  if (reported !== null) await attempts.consume('register_client_reported', address)
  await attempts.consume('register_client_in_all', '')
}
