import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { unreachable } from './rest-client.ts'

interface Body {
  headers: Record<string, string>
  /** In bytes. */
  size: number
  stream: Readable
  onSent(bytes: number): void
}

/** PUTs bytes with a content length, which file stores require. Throws `ClientError` if there is no response. */
export async function putBody(
  url: string,
  { headers, size, stream, onSent }: Body,
): Promise<{ status: number; text: string }> {
  let sent = 0
  const count = new Transform({
    transform(chunk: Buffer, _, done) {
      sent += chunk.length
      onSent(sent)
      done(null, chunk)
    },
  })
  const open = url.startsWith('https:') ? httpsRequest : httpRequest
  const request = open(url, { method: 'PUT', headers: { ...headers, 'Content-Length': size } })
  const answered = new Promise<{ status: number; text: string }>((resolveAnswer, reject) => {
    request.once('error', reject)
    request.once('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.once('error', reject)
      response.once('end', () => resolveAnswer({ status: response.statusCode ?? 0, text }))
    })
  })
  // A server may refuse before it has read everything; its response says more than the broken connection.
  const piped = pipeline(stream, count, request).catch((error: unknown) => error)
  const answer = await answered.catch((cause: unknown) => {
    throw unreachable(new URL(url).origin, new Error('no response', { cause }))
  })
  await piped
  return answer
}
