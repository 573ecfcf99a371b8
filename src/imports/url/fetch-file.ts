import type { IncomingMessage } from 'node:http'
import { AppError } from '../../core/errors.ts'
import type { SentFile } from '../../core/sent-file.ts'
import { withStallTimeout } from '../../runtime/stall-timeout.ts'
import { headLength, signatureOf } from '../formats/match-format.ts'
import { mediaType, nameOfFile } from './file-name.ts'
import { headerText } from './header-text.ts'
import { defaultStallTimeoutMs, sendRequest, toFetchRefusal } from './send-request.ts'

/** The policy for URLs from which a server fetches files. */
export interface UrlPolicy {
  /** `off`: none; `https`: encrypted only; `http`: also unencrypted. */
  mode: 'off' | 'https' | 'http'
  /** True if a connection to this IP address is allowed. */
  allowsAddress(address: string): boolean
  /** True if ports other than the default port of the protocol are allowed. */
  anyPort: boolean
  /** Maximum wait for the response and between two chunks of it, ms. Default: `defaultStallTimeoutMs`. */
  stallTimeoutMs?: number
}

export interface UrlServices {
  urlImports: UrlPolicy
}

/** A file that is being downloaded. */
export interface FetchedFile extends SentFile {
  filename: string
  /** True if it is declared as an HTML page and is one. */
  isWebPage: boolean
  /** Closes the connection; no effect once the file has arrived. */
  close(): void
}

const maxRedirects = 5
/** Maximum time for a whole file, ms. */
const totalTimeoutMs = 10 * 60_000

/**
 * Starts downloading a file. Every URL, that of the first request and of each redirect, is checked, and the connection
 * is opened to exactly the IP address that was checked. Sends no credentials and no cookies. Refuses with
 * INVALID_INPUT.
 */
export async function fetchFile(address: string, policy: UrlPolicy, signal: AbortSignal): Promise<FetchedFile> {
  const ended = AbortSignal.any([signal, AbortSignal.timeout(totalTimeoutMs)])
  let url = parseAddress(address, policy)
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await sendRequest(url, {
      allowsAddress: (ip) => policy.allowsAddress(ip),
      stallTimeoutMs: policy.stallTimeoutMs,
      signal: ended,
    })
    const { statusCode = 0, headers } = response
    if (statusCode === 200) return toFile(url, response, { ...policy, signal: ended })
    response.destroy()
    if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined)
      throw refusal(
        `The address answered with the status ${statusCode}. Check that it opens in a browser without a sign-in.`,
      )
    url = parseAddress(headerText(headers.location), policy, url)
  }
  throw refusal(`The address redirects more than ${maxRedirects} times. Send the one that the file is at.`)
}

/** Parses the URL of a request; refuses a protocol, port or form that is not allowed. */
function parseAddress(text: string, { mode, anyPort }: UrlPolicy, base?: URL): URL {
  const url = URL.parse(text, base?.href)
  const schemes = mode === 'http' ? ['https:', 'http:'] : ['https:']
  if (!url || !schemes.includes(url.protocol))
    throw refusal(`Only ${mode === 'http' ? 'http and https' : 'https'} addresses are fetched.`)
  if (base?.protocol === 'https:' && url.protocol !== 'https:')
    throw refusal('The address redirects from https to http. Send one that stays encrypted.')
  if (url.username !== '' || url.password !== '')
    throw refusal('Addresses with a user name or password are not fetched. Download the file and upload it.')
  // `URL` represents the default port as an empty string.
  if (url.port !== '' && !anyPort) throw refusal('Only the ports 443 of https and 80 of http are fetched from.')
  url.hash = ''
  return url
}

interface ReadTimes {
  stallTimeoutMs?: number
  signal: AbortSignal
}

async function toFile(url: URL, response: IncomingMessage, times: ReadTimes): Promise<FetchedFile> {
  const { headers } = response
  const length = headers['content-length']
  const encoding = headers['content-encoding'] ?? 'identity'
  const contentType = headers['content-type']
  if (encoding.toLowerCase() !== 'identity') {
    response.destroy()
    const message = `The address sends the file with the encoding ${encoding}, which was not asked for.`
    throw refusal(`${message} Download the file and upload it.`)
  }
  const { head, body } = await readHead(readBody(response, times))
  return {
    filename: nameOfFile({ url, disposition: headers['content-disposition'], contentType, head }),
    isWebPage:
      ['text/html', 'application/xhtml+xml'].includes(mediaType(contentType ?? '')) && signatureOf(head) === 'html',
    contentLength: length === undefined ? null : Number(length),
    body,
    close: () => void response.destroy(),
  }
}

/** Reads the bytes that show the format of a file; `body` has the whole file. */
async function readHead(
  source: AsyncGenerator<Uint8Array>,
): Promise<{ head: Uint8Array; body: AsyncIterable<Uint8Array> }> {
  const parts: Uint8Array[] = []
  let length = 0
  while (length < headLength) {
    const { value, done } = await source.next()
    if (done) break
    parts.push(value)
    length += value.byteLength
  }
  async function* body(): AsyncGenerator<Uint8Array> {
    yield* parts
    yield* source
  }
  return { head: Buffer.concat(parts).subarray(0, headLength), body: body() }
}

async function* readBody(
  response: IncomingMessage,
  { stallTimeoutMs = defaultStallTimeoutMs, signal }: ReadTimes,
): AsyncGenerator<Uint8Array> {
  try {
    yield* withStallTimeout(response as AsyncIterable<Uint8Array>, { stallTimeoutMs, signal })
  } catch (error) {
    throw toFetchRefusal(error)
  } finally {
    response.destroy()
  }
}

function refusal(message: string): AppError {
  return new AppError('INVALID_INPUT', message)
}
