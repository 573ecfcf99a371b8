import { lookup as resolveName } from 'node:dns'
import type { IncomingMessage } from 'node:http'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { AppError } from '../../core/errors.ts'
import { version } from '../../core/version.ts'
import { StallError } from '../../runtime/stall-timeout.ts'

/** Maximum wait for the response and between two chunks of it, ms. */
export const defaultStallTimeoutMs = 30_000

interface OutgoingRequest {
  /** True if a connection to this IP address is allowed. */
  allowsAddress(address: string): boolean
  headers?: Record<string, string>
  /** Maximum wait for the response, ms. Default: `defaultStallTimeoutMs`. */
  stallTimeoutMs?: number | undefined
  signal: AbortSignal
}

/**
 * Sends a GET request and resolves with the response before its body is read. The connection is opened to exactly the
 * IP address that was checked. Refuses with INVALID_INPUT an address that is not allowed, and network failures in the
 * words of `toFetchRefusal`.
 */
export function sendRequest(
  url: URL,
  { allowsAddress, headers, signal, stallTimeoutMs = defaultStallTimeoutMs }: OutgoingRequest,
): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // A literal IP address involves no lookup, so it is checked here.
  if (isIP(host) !== 0 && !allowsAddress(host)) return Promise.reject(notPublic())
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      agent: false,
      signal,
      timeout: stallTimeoutMs,
      lookup: checkedLookup(allowsAddress),
      headers: { 'User-Agent': `Lectern/${version}`, Accept: '*/*', 'Accept-Encoding': 'identity', ...headers },
    })
    outgoing.on('timeout', () => outgoing.destroy(refusal('The address did not answer in time. Try again later.')))
    outgoing.on('error', (error) => reject(toFetchRefusal(error)))
    outgoing.on('response', (response) => {
      // From here on, the reader of the body limits the pauses.
      outgoing.setTimeout(0)
      resolve(response)
    })
    // No other event follows if the server switches to another protocol. After a response this has no effect.
    outgoing.on('close', () => reject(toFetchRefusal(new Error('The connection closed before a response.'))))
    outgoing.end()
  })
}

/**
 * Resolves a host name and refuses it if any of its addresses is not allowed. The connection uses these addresses
 * without another lookup.
 */
function checkedLookup(allowsAddress: OutgoingRequest['allowsAddress']): LookupFunction {
  return (hostname, options, callback) => {
    resolveName(hostname, { all: true, verbatim: true }, (error, addresses) => {
      const [first] = addresses ?? []
      if (error || !first) return callback(error ?? notPublic(), '')
      if (!addresses.every(({ address }) => allowsAddress(address))) return callback(notPublic(), '')
      if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}

/** The refusal for a failed connection; it reveals no details of the network. */
export function toFetchRefusal(error: unknown): unknown {
  if (error instanceof AppError) return error
  const isSlow = error instanceof StallError || (error instanceof Error && error.name === 'TimeoutError')
  const message = isSlow
    ? 'The file did not arrive in time. Try again later, or download it and upload it.'
    : 'The address could not be reached, or the connection broke off. Check it, or download the file and upload it.'
  return new AppError('INVALID_INPUT', message, { cause: error })
}

function notPublic(): AppError {
  return refusal('Only servers on the public internet are fetched from. Download the file and upload it.')
}

function refusal(message: string): AppError {
  return new AppError('INVALID_INPUT', message)
}
