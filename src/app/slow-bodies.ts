import type { IncomingMessage, ServerResponse } from 'node:http'

interface SlowBodyOptions {
  /** How long the body of a request may take, from the begin of the request, ms; may grow while the request runs. */
  timeLimitMs(request: IncomingMessage): number
  /** Called for each request that is ended. */
  onEnded(): void
}

/**
 * Returns a function that ends a request whose body takes too long, however it drips: 408 if nothing was answered yet
 * (RFC 9110, section 15.5.9), and the connection is closed. Node's own `requestTimeout` has one value for all requests.
 */
export function createSlowBodyGuard({ timeLimitMs, onEnded }: SlowBodyOptions) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    if (!hasBody(request)) return
    const started = performance.now()
    let timer: NodeJS.Timeout | undefined
    const check = () => {
      if (request.complete || request.socket.destroyed) return
      const remainingMs = timeLimitMs(request) - (performance.now() - started)
      if (remainingMs > 0) return wait(remainingMs)
      onEnded()
      endRequest(request, response)
    }
    const wait = (ms: number) => {
      timer = setTimeout(check, ms + 1).unref()
    }
    wait(timeLimitMs(request))
    // An unread body may go on arriving behind the response.
    request.once('close', () => (request.complete || request.socket.destroyed) && clearTimeout(timer))
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

const message = 'The request body did not arrive in time. Send the request again, with its whole body at once.'

function endRequest({ socket }: IncomingMessage, response: ServerResponse): void {
  // A response that waits behind another one of this connection has no socket yet.
  if (response.headersSent || response.socket === null) return void socket.destroy()
  const body = JSON.stringify({ error: message })
  const head = [
    'HTTP/1.1 408 Request Timeout',
    'Connection: close',
    'Content-Type: application/json',
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroySoon()
}
