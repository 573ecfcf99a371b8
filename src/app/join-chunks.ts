import type { IncomingMessage } from 'node:http'

/** Larger chunks are not copied, bytes. */
const maxCopied = 4096
/** At most this many bytes are joined: what Node reads from a connection at once. */
const maxJoined = 64 * 1024

/**
 * Joins the small chunks of a body (RFC 9112, section 7.1) that arrive together. Node keeps an object for each chunk, so that a
 * body in chunks of one byte would take up a hundred times its size, and a millisecond for every few hundred bytes.
 */
export function joinChunks(request: IncomingMessage): void {
  if (request.headers['transfer-encoding'] === undefined) return
  const push = request.push.bind(request)
  let joined: Buffer | null = null
  let size = 0
  const flush = () => {
    if (joined === null) return true
    const chunk = joined.subarray(0, size)
    joined = null
    return request.destroyed || push(chunk)
  }
  request.push = (chunk: Buffer | null) => {
    if (chunk === null || chunk.length > maxCopied) {
      flush()
      return push(chunk)
    }
    if (joined !== null && size + chunk.length > maxJoined) flush()
    if (joined === null) {
      joined = Buffer.allocUnsafeSlow(maxJoined)
      size = 0
      // Before that, Node parses all that has arrived.
      setImmediate(flush)
    }
    size += chunk.copy(joined, size)
    return request.readableLength + size < request.readableHighWaterMark
  }
}
