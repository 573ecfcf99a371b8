import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import { errors } from 'oidc-provider'
import type { AttemptKind, AttemptLimiter } from '../src/accounts/attempt-limiter.ts'
import { AppError } from '../src/core/errors.ts'
import { clientAddress } from '../src/transport/client-address.ts'
import { clientNetwork } from '../src/transport/client-network.ts'
import { atMost } from '../src/runtime/at-most.ts'
import type { FindSession } from './browser-session.ts'
import { AuthorizationLimitReached } from './oauth-errors.ts'

/** Maximum size of the parameters of an authorization request, bytes: for browsers without a session, and with one. */
const maxParameterBytes = { anonymous: 4096, signedIn: 8192 }

/** Bounds what visitors without a session make the server store and fetch. */
export interface Admission {
  /** Records the network of a request, before its forwarding headers are removed. */
  noteNetwork(request: IncomingMessage): void
  /** The refusal of a request whose network is over the limit, without a write; null to continue. */
  findRefusal(request: IncomingMessage): Promise<AuthorizationLimitReached | null>
  /**
   * Counts an authorization that is about to be stored. Throws `AuthorizationLimitReached`, and `invalid_request` for
   * parameters over 4096 bytes, or 8192 of a signed-in browser.
   */
  admit(request: IncomingMessage, params: Record<string, unknown>): Promise<void>
  /** Counts a metadata document that is about to be fetched. Throws `AuthorizationLimitReached`. */
  admitFetch(request: IncomingMessage): Promise<void>
  /** True if a signed-in browser started the authorization that `admit` has counted. */
  isSignedIn(request: IncomingMessage): boolean
}

export interface AdmissionOptions {
  attempts: AttemptLimiter
  findSession: FindSession
  trustedProxies: number
  baseUrl: string
}

/** Networks that are remembered as over the limit, so that their further requests cause no writes. */
const maxRefusedNetworks = 10_000

/**
 * Counts authorizations per network and in total. Signed-in accounts have their own counters, so a flood of anonymous
 * requests cannot lock them out.
 */
export function createAdmission({ attempts, findSession, trustedProxies, baseUrl }: AdmissionOptions): Admission {
  const networks = new WeakMap<IncomingMessage, string>()
  const signedIn = new WeakSet<IncomingMessage>()
  const refusedNetworks = new LRUCache<string, true>(atMost(maxRefusedNetworks))
  const findAccountId = async ({ headers }: IncomingMessage) =>
    headers.cookie === undefined ? undefined : (await findSession(headers.cookie))?.accountId
  const networkOf = (request: IncomingMessage) => networks.get(request) ?? 'unknown'
  const signInFirst = `, or sign in at ${baseUrl}/sign-in first: a signed-in account has a limit of its own`
  const consume = async (attempt: AttemptKind, subject: string, remedy = signInFirst) => {
    try {
      await attempts.consume(attempt, subject)
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'RATE_LIMITED') throw error
      const seconds = error.retryAfterSeconds ?? 60
      if (attempt === 'authorize') refusedNetworks.set(subject, true, { ttl: seconds * 1000 })
      throw limitReached(attempt, seconds, remedy)
    }
  }
  return {
    noteNetwork: (request) => {
      networks.set(request, networkOfRequest(request, trustedProxies))
    },
    async findRefusal(request) {
      const remainingMs = refusedNetworks.getRemainingTTL(networkOf(request))
      if (remainingMs <= 0 || (await findAccountId(request))) return null
      return limitReached('authorize', Math.ceil(remainingMs / 1000), signInFirst)
    },
    async admit(request, params) {
      const accountId = await findAccountId(request)
      requireFewBytes(params, maxParameterBytes[accountId === undefined ? 'anonymous' : 'signedIn'])
      if (accountId !== undefined) {
        signedIn.add(request)
        return consume('authorize_signed_in', accountId, '')
      }
      await consume('authorize', networkOf(request))
      await consume('authorize_in_all', '')
    },
    async admitFetch(request) {
      const accountId = await findAccountId(request)
      await (accountId === undefined
        ? consume('fetch_client', networkOf(request))
        : consume('fetch_client', `account ${accountId}`, ''))
    },
    isSignedIn: (request) => signedIn.has(request),
  }
}

const limitReasons: Partial<Record<AttemptKind, string>> = {
  authorize: 'Too many connections were started from your network',
  authorize_in_all: 'Too many connections are being started on this server',
  authorize_signed_in: 'You started too many connections',
  fetch_client: 'Too many apps were looked up for you or your network',
}

function limitReached(attempt: AttemptKind, seconds: number, remedy: string): AuthorizationLimitReached {
  const minutes = Math.max(1, Math.ceil(seconds / 60))
  const wait = minutes === 1 ? 'in a minute' : `in ${minutes} minutes`
  return new AuthorizationLimitReached(`${limitReasons[attempt]}. Try again ${wait}${remedy}.`, seconds)
}

function networkOfRequest({ socket, headers }: IncomingMessage, trustedProxies: number): string {
  const forwardedFor = headers['x-forwarded-for']?.toString() ?? null
  return clientNetwork(clientAddress(socket.remoteAddress ?? 'unknown', forwardedFor, trustedProxies))
}

function requireFewBytes(params: Record<string, unknown>, maxBytes: number): void {
  const bytes = Object.entries(params).reduce(
    (sum, [name, value]) => (value === undefined ? sum : sum + Buffer.byteLength(`${name}=${String(value)}`)),
    0,
  )
  if (bytes <= maxBytes) return
  throw new errors.InvalidRequest(`the parameters have ${bytes} bytes in all; at most ${maxBytes} are accepted`)
}
