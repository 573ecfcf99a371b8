import type { Document } from 'mongodb'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openEmbedded } from '../../support/stores.ts'
import type { OpenStore } from '../../support/stores.ts'
import { connectTo, readReplies, sendCommand } from '../../support/wire-client.ts'

describe('the limits of the embedded store', () => {
  let store: OpenStore
  beforeAll(async () => {
    store = await openEmbedded()
    await store.db.collection('c').insertOne({ a: 1 })
  })
  afterAll(() => store.close())
  const send = (command: Document) => sendCommand(store.url, { ...command, $db: store.db.databaseName })

  test('a document over 16 MB is refused', async () => {
    const reply = await send({ insert: 'c', documents: [{ text: 'x'.repeat(16 * 1024 * 1024) }] })
    expect(reply).toMatchObject({ n: 0, writeErrors: [{ index: 0, code: 10334 }] })
  })

  test('a message over 48 MB closes its connection, and the others keep working', async () => {
    const socket = await connectTo(store.url)
    const header = Buffer.alloc(16)
    header.writeInt32LE(48_000_001, 0)
    header.writeInt32LE(2013, 12)
    socket.write(header)
    expect(await readReplies(socket, 1)).toEqual([])
    expect(await store.db.command({ ping: 1 })).toMatchObject({ ok: 1 })
  })

  test('a document nested more than 180 deep is refused', async () => {
    const nested = (depth: number): Document => (depth === 0 ? {} : { a: nested(depth - 1) })
    expect(await send({ insert: 'c', documents: [nested(150)] })).toMatchObject({ n: 1 })
    expect(await send({ insert: 'c', documents: [nested(190)] })).toMatchObject({ ok: 0, code: 15 })
  })

  test('a command of more than 100,000 statements is refused', async () => {
    const statements = Array.from({ length: 100_001 }, () => ({ q: { _id: 0 }, limit: 1 }))
    expect(await send({ delete: 'c', deletes: statements })).toMatchObject({ ok: 0, code: 16 })
  })

  test('a collection has 64 indexes at most', async () => {
    const indexes = Array.from({ length: 64 }, (_, i) => ({ key: { [`f${i}`]: 1 }, name: `f${i}` }))
    expect(await send({ createIndexes: 'c', indexes })).toMatchObject({ ok: 0, code: 67 })
    expect(await send({ createIndexes: 'c', indexes: indexes.slice(1) })).toMatchObject({ numIndexesAfter: 64 })
  })
})
