import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The maximum number of requests of a connection that await their answers. Browsers and HTTP libraries send one. */
const maxPipelined = 16

/** The requests of each connection that await their answers; the first one is being handled. */
const linesBySocket = new WeakMap<Socket, (() => void)[]>()

/**
 * Handles the requests of a connection one after the other (RFC 9112, section 9.3.2): the next one when the answer to the
 * previous one has been sent. Otherwise a client that reads nothing would make the server keep many answers. Closes the
 * connection if too many of its requests await their answers.
 */
export function handleInTurn({ socket }: IncomingMessage, response: ServerResponse, handle: () => void): void {
  if (socket.destroyed) return
  const line = linesBySocket.get(socket) ?? []
  if (line.length >= maxPipelined) return void socket.destroy()
  linesBySocket.set(socket, line)
  line.push(handle)
  response.once('close', () => {
    line.shift()
    if (!socket.destroyed) line[0]?.()
  })
  if (line.length === 1) handle()
}

/** True if a request of the connection is being handled or waits for its turn. */
export function awaitsAnswer(socket: Socket): boolean {
  return (linesBySocket.get(socket)?.length ?? 0) > 0
}
