import { lookup as resolveName } from 'node:dns'
import type { IncomingMessage } from 'node:http'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { AppError } from '../../core/errors.ts'
import { version } from '../../core/version.ts'
import { StallError } from '../../runtime/stall-timeout.ts'

/** The longest pause before an answer and between two parts of it, ms. */
export const stallTimeoutMs = 30_000

interface OutgoingRequest {
  /** Whether a connection to this IP address may be opened. */
  allowsAddress(address: string): boolean
  headers?: Record<string, string>
  signal: AbortSignal
}

/**
 * Sends a GET request and resolves with the answer, whose body is not read yet. The connection is opened to the very IP address that was
 * checked. Refuses with INVALID_INPUT: an address that is not allowed, and what the network fails with, as `toFetchRefusal` says it.
 */
export function sendRequest(url: URL, { allowsAddress, headers, signal }: OutgoingRequest): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // The system is not asked for the address of an address.
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
    outgoing.on('response', resolve)
    outgoing.end()
  })
}

/** Finds the addresses of a name; refuses a name of which any is not allowed. The connection uses these and asks no more. */
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

/** What a failed connection is to the caller; nothing of what the network told. */
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
