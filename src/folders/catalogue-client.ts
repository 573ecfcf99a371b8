import { createWriteStream } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { AppError } from '../core/errors.ts'
import { headerText } from '../imports/url/header-text.ts'
import { defaultStallTimeoutMs, sendRequest, toFetchRefusal } from '../imports/url/send-request.ts'
import { withStallTimeout } from '../runtime/stall-timeout.ts'

/** The URL of another server's catalogue, and its credentials. */
export interface CatalogueAddress {
  /** Without credentials. */
  url: URL
  credentials: { user: string; password: string } | null
}

/** Sends requests to a catalogue, and to URLs in its feeds. */
export interface CatalogueClient {
  /** Reads a feed; `url` is its final URL after redirects. */
  readFeed(url: URL): Promise<{ url: URL; type: string; bytes: Uint8Array }>
  /** Reads a picture; refuses one that exceeds `maxBytes` bytes. */
  readPicture(url: URL, maxBytes: number): Promise<Uint8Array>
  /** Downloads a file to `path`; refuses one that exceeds `maxBytes` bytes. */
  download(url: URL, file: { path: string; maxBytes: number }): Promise<void>
}

interface ClientOptions {
  /** True if connecting to this IP address is allowed for a host that the user has not named. */
  allowsAddress(address: string): boolean
  signal: AbortSignal
}

const maxRedirects = 5
const maxFeedBytes = 4 * 1024 * 1024
/** Maximum time for a feed or a picture, and for a file, ms. */
const [feedTimeoutMs, fileTimeoutMs] = [60_000, 30 * 60_000]
const accept = 'application/opds+json, application/atom+xml, application/xml;q=0.8, */*;q=0.5'

/**
 * Sends requests with the credentials of a catalogue, to its own origin only. The catalogue's host may have any
 * address. Other hosts in feeds or redirects must be allowed, and so must the catalogue's host if its address was
 * allowed once, so that a public name cannot be rebound to the local network. Refuses with INVALID_INPUT what cannot be
 * fetched, and with UNAUTHENTICATED what requires credentials.
 */
export function createCatalogueClient(catalogue: CatalogueAddress, options: ClientOptions): CatalogueClient {
  const session: Session = { ...catalogue, ...options, isPublic: null }
  return {
    async readFeed(url) {
      const found = await request(session, url, feedTimeoutMs)
      const type = found.response.headers['content-type'] ?? ''
      return { url: found.url, type, bytes: await readAll(found, maxFeedBytes) }
    },
    async readPicture(url, maxBytes) {
      return readAll(await request(session, url, feedTimeoutMs), maxBytes)
    },
    async download(url, { path, maxBytes }) {
      const found = await request(session, url, fileTimeoutMs)
      await pipeline(bounded(found, maxBytes), createWriteStream(path, { mode: 0o600 }))
    },
  }
}

interface Session extends CatalogueAddress, ClientOptions {
  /** True if the host of the catalogue is one that others may refer to as well; null before the first request. */
  isPublic: boolean | null
}

interface Found {
  url: URL
  response: IncomingMessage
  signal: AbortSignal
}

async function request(session: Session, address: URL, timeoutMs: number): Promise<Found> {
  const signal = AbortSignal.any([session.signal, AbortSignal.timeout(timeoutMs)])
  let url = address
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await sendRequest(url, {
      allowsAddress: (ip) => allows(session, url, ip),
      headers: { Accept: accept, ...credentialsFor(session, url) },
      signal,
    })
    const { statusCode = 0, headers } = response
    if (statusCode === 200) return { url, response, signal }
    response.destroy()
    if (statusCode === 401) throw signInError(session, url, headers['www-authenticate'] ?? '')
    if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined)
      throw refusal(`${url.host} answered with the status ${statusCode}.`)
    url = redirected(url, headers.location)
  }
  throw refusal(`${address.host} redirects more than ${maxRedirects} times.`)
}

/**
 * The host named by the user may have any address, including one in the local network, but must not change from public
 * to local.
 */
function allows(session: Session, url: URL, ip: string): boolean {
  const isPublic = session.allowsAddress(ip)
  if (url.hostname !== session.url.hostname) return isPublic
  session.isPublic ??= isPublic
  return isPublic || !session.isPublic
}

function credentialsFor({ credentials, url: { origin } }: Session, url: URL): Record<string, string> {
  if (credentials === null || url.origin !== origin) return {}
  const text = Buffer.from(`${credentials.user}:${credentials.password}`, 'utf8').toString('base64')
  return { Authorization: `Basic ${text}` }
}

function redirected(from: URL, location: string): URL {
  const url = URL.parse(headerText(location), from.href)
  if (!url || !['https:', 'http:'].includes(url.protocol)) throw refusal(`${from.host} redirects to no web address.`)
  if (from.protocol === 'https:' && url.protocol !== 'https:')
    throw refusal(`${from.host} redirects from https to http.`)
  url.username = ''
  url.password = ''
  url.hash = ''
  return url
}

function signInError({ credentials, url: { origin } }: Session, url: URL, challenge: string): AppError {
  if (url.origin !== origin)
    return refusal(`${url.origin} asks for a sign-in, and credentials go to ${origin} only. Name that address instead.`)
  const isBasic = challenge === '' || /\bbasic\b/i.test(challenge)
  const way = isBasic
    ? 'Give --user and --password -, set LECTERN_CATALOGUE_USER and LECTERN_CATALOGUE_PASSWORD, or write the address as https://user:password@host/path.'
    : 'It takes no Basic authentication; Calibre does with --auth-mode=basic.'
  const fault = credentials === null ? 'asks for a user name and a password' : 'refuses the user name and password'
  const details = isBasic && credentials === null ? { reason: 'SIGN_IN_WANTED' } : {}
  return new AppError('UNAUTHENTICATED', `The catalogue at ${url.host} ${fault}. ${way}`, { details })
}

async function readAll(found: Found, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const part of bounded(found, maxBytes)) parts.push(part)
  return Buffer.concat(parts)
}

async function* bounded({ url, response, signal }: Found, maxBytes: number): AsyncGenerator<Uint8Array> {
  const tooLarge = () => refusal(`${url.host} sends more than ${maxBytes.toLocaleString('en')} bytes.`)
  let bytes = 0
  try {
    if ((response.headers['content-encoding'] ?? 'identity') !== 'identity')
      throw refusal(`${url.host} sends with an encoding that was not asked for.`)
    if (Number(response.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
    for await (const part of withStallTimeout(response as AsyncIterable<Uint8Array>, {
      stallTimeoutMs: defaultStallTimeoutMs,
      signal,
    })) {
      bytes += part.byteLength
      if (bytes > maxBytes) throw tooLarge()
      yield part
    }
  } catch (error) {
    throw toFetchRefusal(error)
  } finally {
    response.destroy()
  }
}

function refusal(message: string): AppError {
  return new AppError('INVALID_INPUT', message)
}
