import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Asks a client that waits with its body (`Expect: 100-continue`, RFC 9110, section 10.1.1) for it as soon as the body is read.
 * A request that is answered before that ends its connection: the client may send the body all the same, or never.
 */
export function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  const read = request._read.bind(request)
  const keepAlive = response.shouldKeepAlive
  response.shouldKeepAlive = false
  request._read = (size) => {
    request._read = read
    // An unread body is skipped behind the answer.
    if (!response.headersSent) {
      response.shouldKeepAlive = keepAlive
      response.writeContinue()
    }
    read(size)
  }
}
