import { connect, createServer, type Server, type Socket } from 'node:net'
import { addressOf } from '../../src/db/embedded/protocol/address.ts'
import { freePort } from './server.ts'

/**
 * The state of the connection between a server and its store. `pass`: normal; `refused`: no new connections, and
 * existing ones are closed; `reset`: every reply breaks off in the middle; `stalled`: nothing arrives, without an
 * error.
 */
export type ProxyMode = 'pass' | 'refused' | 'reset' | 'stalled'

export interface StoreProxy {
  /** The URL of the store through the proxy. */
  url: string
  /** Changes the mode, also for existing connections. */
  setMode(mode: ProxyMode): Promise<void>
  /**
   * Counts the writes to the store from now on. After the `at`th (from 1), the reply is lost with its connection, and
   * so is the reply to the next one, because the driver repeats a write once.
   */
  loseReply(at: number): LostReply
  /** Forwards the next write with this description, such as `update placements`; the mode is then `stalled`. */
  stallAt(write: string): void
  close(): Promise<void>
}

export interface LostReply {
  /** The writes so far, such as `insert books`. */
  writes: string[]
}

/**
 * Opens a proxy to a store on loopback whose connection can be interrupted and restored. With `impatient`, the driver
 * looks for a lost store at once instead of after half a second. Every reply takes `delayMs` longer.
 */
export async function openStoreProxy(
  storeUrl: string,
  { impatient: fastReconnect = false, delayMs = 0 } = {},
): Promise<StoreProxy> {
  const target = targetOf(storeUrl)
  const connections = new Set<ProxiedConnection>()
  let loss: ReplyLoss = { writes: [], at: Infinity }
  let mode: ProxyMode = 'pass'
  let stallingWrite: string | undefined
  const onWrite = (write: string) => {
    if (write === stallingWrite) mode = 'stalled'
  }
  let listener: Server | undefined
  const port = await freePort()
  const listen = async () => {
    const server = createServer((client) => {
      const pair = joinSockets(
        { client, store: connect(target) },
        { mode: () => mode, loss: () => loss, onWrite, delayMs },
      )
      connections.add(pair)
      client.once('close', () => connections.delete(pair))
    })
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    listener = server
  }
  const closeListener = async () => {
    const closed = new Promise((resolve) => (listener ? listener.close(resolve) : resolve(undefined)))
    listener = undefined
    for (const { client } of connections) client.resetAndDestroy()
    await closed
  }
  await listen()
  return {
    url: urlTo(storeUrl, port) + (fastReconnect ? '&minHeartbeatFrequencyMS=20' : ''),
    async setMode(next) {
      mode = next
      stallingWrite = undefined
      if (next === 'refused') return closeListener()
      if (!listener) await listen()
      // Held-back data is not delivered late, because such a connection is dead.
      if (next === 'pass') for (const { client, isStalled: held } of connections) if (held()) client.resetAndDestroy()
    },
    loseReply(at) {
      loss = { writes: [], at }
      return loss
    },
    stallAt(write) {
      stallingWrite = write
    },
    close: closeListener,
  }
}

type Target = { path: string } | { host: string; port: number }

function targetOf(url: string): Target {
  const own = addressOf(url)
  if (own && 'socket' in own && own.socket.startsWith('/')) return { path: own.socket }
  const { hostname, port } = new URL(url.replace(/^mongodb:/, 'http:'))
  return { host: hostname, port: Number(port || 27017) }
}

function urlTo(url: string, port: number): string {
  const [, credential = '', rest = ''] = /^mongodb:\/\/([^/@]+@)?[^/]+\/(.*)$/.exec(url) ?? []
  return `mongodb://${credential}127.0.0.1:${port}/${rest}`
}

interface SocketPair {
  client: Socket
  store: Socket
}

interface ProxiedConnection extends SocketPair {
  /** True if data was held back. */
  isStalled(): boolean
}

interface ReplyLoss extends LostReply {
  at: number
}

interface ProxyState {
  delayMs: number
  mode(): ProxyMode
  loss(): ReplyLoss
  /** Called for each write that has been forwarded. */
  onWrite(write: string): void
}

function joinSockets({ client, store }: SocketPair, { mode, loss, onWrite, delayMs }: ProxyState): ProxiedConnection {
  let stalled = false
  /** The request whose reply is lost. */
  let lostRequestId: number | undefined
  const requests = splitMessages((message) => {
    const write = describeWrite(message)
    if (write !== null && [0, 1].includes(loss().writes.push(write) - loss().at)) lostRequestId = message.readInt32LE(4)
    store.write(message)
    if (write !== null) onWrite(write)
  })
  const replies = splitMessages((message) => {
    if (lostRequestId !== undefined && message.readInt32LE(8) === lostRequestId) client.resetAndDestroy()
    else if (delayMs === 0) client.write(message)
    else setTimeout(() => client.write(message), delayMs)
  })
  client.on('data', (chunk) => {
    if (mode() === 'stalled') stalled = true
    else requests(chunk)
  })
  store.on('data', (chunk) => {
    if (mode() === 'stalled') stalled = true
    else if (mode() === 'reset') client.write(chunk.subarray(0, chunk.length / 2), () => client.resetAndDestroy())
    else replies(chunk)
  })
  for (const [end, other] of [
    [client, store],
    [store, client],
  ] as const) {
    end.on('error', () => {})
    end.once('close', () => other.destroy())
  }
  return { client, store, isStalled: () => stalled }
}

/** Splits a stream of the wire protocol into messages, each of which begins with its length. */
function splitMessages(each: (message: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
      const length = rest.readInt32LE(0)
      each(rest.subarray(0, length))
      rest = rest.subarray(length)
    }
  }
}

const opMsgCode = 2013
const writeCommands = new Set(['insert', 'update', 'delete', 'findAndModify', 'bulkWrite'])

/**
 * The write in a message, such as `insert books`; null for everything else. The first field of its document is the
 * command.
 */
function describeWrite(message: Buffer): string | null {
  if (message.readInt32LE(12) !== opMsgCode) return null
  const name = message.subarray(26, message.indexOf(0, 26)).toString()
  if (!writeCommands.has(name)) return null
  const value = 26 + name.length + 1
  return `${name} ${message.subarray(value + 4, value + 4 + message.readInt32LE(value) - 1)}`
}
