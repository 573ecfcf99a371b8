import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Requests the body from a client that waits before it sends one (`Expect: 100-continue`, RFC 9110, section 10.1.1),
 * once the body is read. If the request is answered before that, its connection is closed, because the client may still
 * send the body, or never.
 */
export function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  const read = request._read.bind(request)
  const keepAlive = response.shouldKeepAlive
  response.shouldKeepAlive = false
  request._read = (size) => {
    request._read = read
    // An unread body is discarded after the answer.
    if (!response.headersSent) {
      response.shouldKeepAlive = keepAlive
      response.writeContinue()
    }
    read(size)
  }
}
