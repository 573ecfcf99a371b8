import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { Binary, Int32 } from 'bson'
import { decode, encode } from '../bson/bytes.ts'
import { toDouble } from '../bson/numbers.ts'
import type { Doc } from '../bson/values.ts'
import { addressOf } from './address.ts'
import { plainPayload } from './plain-auth.ts'
import { requestMessage } from './wire.ts'

const probeTimeoutMs = 2_000

/**
 * True if a store answers within two seconds at a URL made by `socketUrl` or `portUrl`, and accepts the URL's secret.
 */
export async function answersPing(url: string): Promise<boolean> {
  const address = addressOf(url)
  if (!address) return false
  const socket = 'socket' in address ? connect(address.socket) : connect(address.port, '127.0.0.1')
  socket.setTimeout(probeTimeoutMs, () => socket.destroy(new Error('no answer')))
  try {
    if (address.secret !== undefined) {
      const payload = new Binary(Buffer.from(plainPayload(address.secret)))
      const trusted = await ask(socket, { saslStart: new Int32(1), mechanism: 'PLAIN', payload, $db: '$external' })
      if (!trusted) return false
    }
    return await ask(socket, { ping: new Int32(1), $db: 'admin' })
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

async function ask(socket: Socket, command: Doc): Promise<boolean> {
  socket.write(requestMessage(encode(command)))
  let reply = Buffer.alloc(0)
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    reply = Buffer.concat([reply, chunk as Buffer])
    if (reply.length < 4 || reply.length < reply.readInt32LE(0)) continue
    const { ok } = decode(reply.subarray(21))
    return ok instanceof Object && '_bsontype' in ok && toDouble(ok as Int32) === 1
  }
  return false
}
