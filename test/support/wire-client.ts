import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { BSON } from 'mongodb'
import type { Document } from 'mongodb'
import { addressOf } from '../../src/db/embedded/protocol/address.ts'
import { plainPayload } from '../../src/db/embedded/protocol/plain-auth.ts'

/** Opens a socket to the server of a MongoDB URL, without a driver. */
export function openSocket(url: string): Socket {
  const own = addressOf(url)
  if (own && 'socket' in own) return connect(own.socket)
  const [name, port] = (/^mongodb:\/\/(?:[^/@]+@)?([^/]+)\//.exec(url)?.[1] ?? '').split(':')
  return connect(Number(port ?? 27017), name)
}

/** A socket that has sent the secret of the URL, if there is one. */
export async function connectTo(url: string): Promise<Socket> {
  const socket = openSocket(url)
  const secret = addressOf(url)?.secret
  if (secret !== undefined) await authenticate(socket, secret)
  return socket
}

async function authenticate(socket: Socket, secret: string): Promise<void> {
  const payload = new BSON.Binary(Buffer.from(plainPayload(secret)))
  socket.write(encodeMessage({ saslStart: 1, mechanism: 'PLAIN', payload, $db: '$external' }))
  let bytes = Buffer.alloc(0)
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    bytes = Buffer.concat([bytes, chunk as Buffer])
    if (bytes.length >= 4 && bytes.length >= bytes.readInt32LE(0)) return
  }
}

/** An OP_MSG around a command document. */
export function encodeMessage(command: Document, flags = 0): Buffer {
  const body = BSON.serialize(command)
  const head = Buffer.alloc(21)
  head.writeInt32LE(21 + body.length, 0)
  head.writeInt32LE(2013, 12)
  head.writeUInt32LE(flags, 16)
  return Buffer.concat([head, body])
}

/** Reads this many replies (OP_MSG or OP_REPLY) and closes the connection; `to` is the id of the request. */
export async function readReplies(socket: Socket, count: number): Promise<Document[]> {
  const found: Document[] = []
  let bytes = Buffer.alloc(0)
  for await (const chunk of socket) {
    bytes = Buffer.concat([bytes, chunk])
    while (bytes.length >= 4 && bytes.length >= bytes.readInt32LE(0)) {
      const start = bytes.readInt32LE(12) === 1 ? 36 : 21
      found.push({ to: bytes.readInt32LE(8), ...BSON.deserialize(bytes.subarray(start, bytes.readInt32LE(0))) })
      bytes = bytes.subarray(bytes.readInt32LE(0))
    }
    if (found.length >= count) break
  }
  socket.destroy()
  return found
}

/** Sends one command unchanged (a driver would add its session) and returns the reply, refusal or not. */
export async function sendCommand(url: string, command: Document): Promise<Document> {
  const socket = await connectTo(url)
  socket.write(encodeMessage(command))
  const [reply] = await readReplies(socket, 1)
  if (!reply) throw new Error('the connection was closed without a reply')
  return reply
}
