import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { BSON } from 'mongodb'
import type { Document } from 'mongodb'

/** A connection to the server of a MongoDB URL, below any driver. */
export function connectTo(url: string): Socket {
  const host = decodeURIComponent(/^mongodb:\/\/([^/]+)\//.exec(url)?.[1] ?? '')
  if (host.endsWith('.sock')) return connect(host)
  const [name, port] = host.split(':')
  return connect(Number(port ?? 27017), name)
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

/** Reads that many replies (OP_MSG or OP_REPLY) and closes the connection; `to` is the id of the request. */
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

/** Sends one command exactly as it is (a driver would put its own session into it) and gives the reply, refusal or not. */
export async function sendCommand(url: string, command: Document): Promise<Document> {
  const socket = connectTo(url)
  socket.write(encodeMessage(command))
  const [reply] = await readReplies(socket, 1)
  if (!reply) throw new Error('the connection was closed without a reply')
  return reply
}
