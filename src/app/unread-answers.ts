import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { awaitsAnswer } from './pipelined-requests.ts'

/**
 * Closes connections on which nothing arrives or leaves for `timeLimitMs`, and calls `onClosed`, if the client reads nothing of
 * an answer: otherwise it could keep the connection and the answer for ever. A connection whose answer is being prepared stays
 * open. One without a request is closed too; while it is kept alive, `keepAliveTimeout` replaces the limit.
 */
export function closeUnreadAnswers(server: Server, timeLimitMs: number, onClosed: () => void): void {
  server.setTimeout(timeLimitMs, (socket: Socket) => {
    const isUnread = socket.writableLength > 0
    if (!isUnread && awaitsAnswer(socket)) return
    if (!isUnread) return void socket.destroy()
    onClosed()
    // Otherwise the system would keep the rest of the answer.
    socket.resetAndDestroy()
  })
}
