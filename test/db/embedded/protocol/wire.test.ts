import { BSON } from 'mongodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  messageLength,
  parseMessage,
  ProtocolError,
  requestMessage,
} from '../../../../src/db/embedded/protocol/wire.ts'
import { openEmbedded } from '../../../support/stores.ts'
import type { OpenStore } from '../../../support/stores.ts'
import { connectTo, readReplies } from '../../../support/wire-client.ts'

const ping = BSON.serialize({ ping: 1, $db: 'admin' })

function header(length: number, opCode: number, rest: readonly number[] = []): Buffer {
  const message = Buffer.alloc(Math.max(16, length))
  message.writeInt32LE(length, 0)
  message.writeInt32LE(7, 4)
  message.writeInt32LE(opCode, 12)
  message.set(rest, 16)
  return message
}

function withFlags(command: Uint8Array, flags: number, tail: Uint8Array = Uint8Array.of()): Buffer {
  const message = Buffer.concat([requestMessage(command), tail])
  message.writeInt32LE(message.length, 0)
  message.writeUInt32LE(flags, 16)
  return message
}

function sequence(name: string, documents: readonly Uint8Array[]): Buffer {
  const size = documents.reduce((sum, { length }) => sum + length, 4 + name.length + 1)
  const head = Buffer.alloc(1 + 4 + name.length + 1)
  head[0] = 1
  head.writeInt32LE(size, 1)
  head.write(name, 5)
  return Buffer.concat([head, ...documents])
}

describe('message parsing', () => {
  test('reads document sequences next to the body', () => {
    const documents = [BSON.serialize({ _id: 1 }), BSON.serialize({ _id: 2 })]
    const insert = BSON.serialize({ insert: 'c', $db: 'd' })
    const request = parseMessage(withFlags(insert, 0, sequence('documents', documents)))
    expect(request.sequences.get('documents')?.map((bytes) => BSON.deserialize(bytes))).toEqual([
      { _id: 1 },
      { _id: 2 },
    ])
    expect(request.answer).toBe('msg')
  })

  test('ignores the checksum and detects that no reply is wanted', () => {
    const request = parseMessage(withFlags(ping, 3, Uint8Array.of(1, 2, 3, 4)))
    expect(BSON.deserialize(request.body)).toEqual({ ping: 1, $db: 'admin' })
    expect(request.answer).toBe('none')
  })

  test.for([
    ['an unknown opcode', header(30, 2012)],
    ['an unknown required flag', withFlags(ping, 4)],
    ['an unknown kind of section', withFlags(ping, 0, Uint8Array.of(2, 5, 0, 0, 0, 0))],
    ['two bodies', withFlags(ping, 0, Buffer.concat([Uint8Array.of(0), ping]))],
    ['no body', header(21, 2013, [0, 0, 0, 0])],
    ['a section that is cut off', withFlags(ping, 0, Uint8Array.of(1, 99, 0, 0, 0))],
    ['a negative section length', withFlags(ping, 0, Uint8Array.of(1, 255, 255, 255, 255))],
    ['the same sequence twice', withFlags(ping, 0, Buffer.concat([sequence('a', []), sequence('a', [])]))],
    ['a body that is not BSON', withFlags(Uint8Array.of(9, 0, 0, 0, 99, 65, 0, 1, 0), 0)],
    ['a body with a string that is not UTF-8', withFlags(Buffer.from('0f00000002610003000000ffff0000', 'hex'), 0)],
    ['a query that is not a command', header(40, 2004, [0, 0, 0, 0, 97, 0])],
  ] as const)('refuses %s', ([, message]) => {
    expect(() => parseMessage(message)).toThrow(ProtocolError)
  })

  test.for([0, 15, 48_000_001, -1])('refuses a message length of %s', (length) => {
    const bytes = Buffer.alloc(4)
    bytes.writeInt32LE(length)
    expect(() => messageLength(bytes)).toThrow(ProtocolError)
  })
})

describe('a connection', () => {
  let store: OpenStore
  beforeAll(async () => {
    store = await openEmbedded()
  })
  afterAll(() => store.close())

  test('may begin with a legacy hello', async () => {
    const body = BSON.serialize({ ismaster: 1, helloOk: true, client: { driver: { name: 'x' } } })
    const name = Buffer.from('admin.$cmd\0')
    const message = Buffer.concat([header(16, 2004), Buffer.alloc(4), name, Buffer.alloc(8), body])
    message.writeInt32LE(message.length, 0)
    const socket = await connectTo(store.url)
    socket.write(message)
    const [reply] = await readReplies(socket, 1)
    expect(reply).toMatchObject({
      to: 7,
      ok: 1,
      ismaster: true,
      helloOk: true,
      maxWireVersion: 21,
      setName: 'embedded',
    })
  })

  test('is answered in order if requests arrive in one piece or byte by byte', async () => {
    const socket = await connectTo(store.url)
    const messages = [1, 2, 3].map((id) => {
      const message = Buffer.from(requestMessage(ping))
      message.writeInt32LE(id, 4)
      return message
    })
    socket.setNoDelay(true)
    const answered = readReplies(socket, 6)
    socket.write(Buffer.concat(messages))
    for (const byte of Buffer.concat(messages)) {
      socket.write(Uint8Array.of(byte))
      await new Promise(setImmediate)
    }
    expect((await answered).map(({ to }) => to)).toEqual([1, 2, 3, 1, 2, 3])
  })

  test('gets no reply to an unacknowledged write, which is applied', async () => {
    const socket = await connectTo(store.url)
    const insert = BSON.serialize({
      insert: 'quiet',
      documents: [{ _id: 1 }],
      writeConcern: { w: 0 },
      $db: store.db.databaseName,
    })
    socket.write(withFlags(insert, 2))
    socket.write(requestMessage(ping))
    const answers = await readReplies(socket, 1)
    expect(answers).toHaveLength(1)
    expect(answers[0]).toMatchObject({ ok: 1 })
    expect(await store.db.collection('quiet').countDocuments()).toBe(1)
  })

  test.for([
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n')],
    ['an endless message', header(2_000_000_000, 2013)],
    ['an unknown opcode', header(32, 1234)],
    ['random bytes', Buffer.from('9c00000001000000000000002e0700000102030405060708', 'hex')],
  ] as const)('that speaks %s is closed, and the server keeps running', async ([, bytes]) => {
    const socket = await connectTo(store.url)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => undefined)
    socket.resume()
    socket.end(bytes)
    await closed
    expect(await store.db.command({ ping: 1 })).toMatchObject({ ok: 1 })
  })

  test('accepts a document of 16 MB and returns it', async () => {
    const blob = new BSON.Binary(Buffer.alloc(16 * 1024 * 1024 - 64, 7))
    await store.db.collection('large').insertOne({ _id: 1 as never, blob })
    const found = await store.db.collection('large').findOne({})
    expect(Buffer.compare(found?.['blob'].value(), blob.value())).toBe(0)
  })
})
