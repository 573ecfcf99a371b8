import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The maximum number of requests of a connection that await their answers. Browsers and HTTP libraries send one. */
const maxPipelined = 16

const openRequests = new WeakMap<Socket, number>()

/**
 * Counts a request of a connection until it is answered. Returns false and closes the connection if too many of its requests
 * (RFC 9112, section 9.3.2) await their answers: otherwise one connection could make the server work on thousands at a time.
 */
export function admitRequest({ socket }: IncomingMessage, response: ServerResponse): boolean {
  if (socket.destroyed) return false
  const open = (openRequests.get(socket) ?? 0) + 1
  openRequests.set(socket, open)
  response.once('close', () => openRequests.set(socket, (openRequests.get(socket) ?? 1) - 1))
  if (open <= maxPipelined) return true
  socket.destroy()
  return false
}
