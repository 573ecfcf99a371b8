import { createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { Binary, Double, Int32 } from 'bson'
import { encode } from '../bson/bytes.ts'
import { maxMessageBytes } from '../commands/limits.ts'
import { CommandError } from '../errors/command-error.ts'
import { errorReply } from './error-reply.ts'
import { isAuthentic } from './plain-auth.ts'
import { commandName } from './prepare.ts'
import type { Scheduler } from './scheduler.ts'
import { messageLength, parseMessage, ProtocolError, replyMessage } from './wire.ts'
import type { Request } from './wire.ts'

export type ListenerParts = {
  scheduler: Scheduler
  /** The secret that clients must send; undefined: clients need none. */
  secret: string | undefined
  log: (error: unknown) => void
}

/** Accepts connections of MongoDB clients. Malformed bytes close only their own connection. */
export function createListener(parts: ListenerParts): Server {
  return createServer({ noDelay: true }, (socket) => serve(socket, parts))
}

function serve(socket: Socket, parts: ListenerParts): void {
  const connection = { trusted: parts.secret === undefined, replies: 0 }
  const collect = messageCollector({
    receive: (message) => receive(message),
    maxBytes: () => (connection.trusted ? maxMessageBytes : maxUntrustedBytes),
  })
  const receive = (message: Buffer) => {
    const request = parseMessage(message)
    const answer = (document: Uint8Array) => {
      connection.replies += 1
      if (request.answer !== 'none' && socket.writable)
        send(socket, replyMessage(request, document, connection.replies))
    }
    const own = handshake(request, connection, parts.secret)
    if (own) answer(own)
    else parts.scheduler.submit({ request, answer, hasDisconnected: () => !socket.writable })
  }
  socket.on('data', (chunk: Buffer) => {
    try {
      collect(chunk)
    } catch (error) {
      if (!(error instanceof ProtocolError)) parts.log(error)
      socket.destroy()
    }
  })
  // A disconnected client needs no reply.
  socket.on('error', () => socket.destroy())
  socket.on('drain', () => socket.resume())
}

function send(socket: Socket, pieces: readonly Uint8Array[]): void {
  socket.cork()
  let drained = true
  for (const piece of pieces) drained = socket.write(piece)
  socket.uncork()
  // Backpressure: a client that does not read its replies may not send more requests.
  if (!drained) socket.pause()
}

const openCommands = /^(?:hello|ismaster|ping)$/

/** The reply to authentication and to requests that need it first; undefined if the request may run. */
function handshake(
  request: Request,
  connection: { trusted: boolean },
  secret: string | undefined,
): Uint8Array | undefined {
  if (connection.trusted) return undefined
  const name = commandName(request)
  if (openCommands.test(name)) return undefined
  if (name !== 'saslStart') {
    const message = `command ${name} requires authentication: this store asks for the secret of its data directory, which programs of the same version send by themselves`
    return errorReply(new CommandError('Unauthorized', message))
  }
  if (!isAuthentic(request.body, secret)) {
    return errorReply(new CommandError('AuthenticationFailed', 'Authentication failed.'))
  }
  connection.trusted = true
  return encode({ conversationId: new Int32(1), done: true, payload: new Binary(Buffer.alloc(0)), ok: new Double(1) })
}

/** Maximum message size before authentication. */
const maxUntrustedBytes = 65_536

type Collector = { receive: (message: Buffer) => void; maxBytes: () => number }

/**
 * Assembles chunks into messages. Each message is copied at most once, and not at all if a single chunk contains it.
 */
function messageCollector({ receive, maxBytes }: Collector): (chunk: Buffer) => void {
  let partial: { bytes: Buffer; length: number } | undefined
  let head = Buffer.alloc(0)
  return (chunk) => {
    let rest = chunk
    while (rest.length > 0) {
      if (partial) {
        const copied = rest.copy(partial.bytes, partial.length)
        partial.length += copied
        rest = rest.subarray(copied)
        if (partial.length < partial.bytes.length) return
        const { bytes } = partial
        partial = undefined
        receive(bytes)
        continue
      }
      if (head.length > 0) rest = Buffer.concat([head, rest])
      head = Buffer.alloc(0)
      if (rest.length < 4) {
        head = Buffer.from(rest)
        return
      }
      const length = messageLength(rest, maxBytes())
      if (rest.length >= length) {
        receive(rest.subarray(0, length))
        rest = rest.subarray(length)
      } else {
        partial = { bytes: Buffer.allocUnsafe(length), length: 0 }
      }
    }
  }
}
