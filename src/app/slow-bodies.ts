import type { IncomingMessage, ServerResponse } from 'node:http'

interface SlowBodyOptions {
  /** Maximum time for the body of a request, from the start of the request, ms; may grow while the request runs. */
  timeLimitMs(request: IncomingMessage): number
  /** Called for each aborted request. */
  onEnded(): void
}

/**
 * Returns a function that aborts a request whose body takes too long, even if data keeps trickling in: it responds with
 * 408 if nothing was answered yet (RFC 9110, section 15.5.9), and closes the connection. Node's own `requestTimeout` is
 * one value for all requests.
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
    // An unread body may continue to arrive after the response.
    request.once('close', () => (request.complete || request.socket.destroyed) && clearTimeout(timer))
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length']
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

const message = 'The request body did not arrive in time. Send the request again, with its whole body at once.'

function endRequest({ socket }: IncomingMessage, response: ServerResponse): void {
  // A pipelined response that waits for an earlier one of this connection has no socket yet.
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
