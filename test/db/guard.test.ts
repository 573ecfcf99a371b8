import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { MongoClient, type CommandStartedEvent, type Db } from 'mongodb'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ClientDisconnected, shield, readSignal, runCancellable } from '../../src/core/cancellation.ts'
import { guardDb } from '../../src/db/guard-db.ts'
import { stores, type OpenStore } from '../support/stores.ts'
import { openSocket } from '../support/wire-client.ts'

/** A connection to a store whose replies can be delayed. */
interface SlowWay {
  url: string
  /** Delays replies from now on. */
  hold(): void
  /** Sends delayed replies. */
  release(): void
  /** Number of connections closed by the driver. */
  closed(): number
  close(): Promise<void>
}

async function slowWay(url: string): Promise<SlowWay> {
  const open = new Set<[Socket, Socket]>()
  let closed = 0
  let held = false
  const server: Server = createServer((near) => {
    const far = openSocket(url)
    const pair: [Socket, Socket] = [near, far]
    open.add(pair)
    near.pipe(far)
    far.on('data', (bytes) => near.write(bytes))
    if (held) far.pause()
    near.on('error', () => {})
    near.on('close', () => {
      open.delete(pair)
      closed += 1
      far.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: url.replace(/@[^/]+\//, `@127.0.0.1:${port}/`),
    hold() {
      held = true
      for (const [, far] of open) far.pause()
    },
    release() {
      held = false
      for (const [, far] of open) far.resume()
    },
    closed: () => closed,
    async close() {
      for (const [near] of open) near.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const patience = { timeout: 20_000 }

interface Row {
  _id: number
  name?: string
}

describe.for(stores)('a guarded database on %s', ([, open]) => {
  let store: OpenStore
  let way: SlowWay
  let client: MongoClient
  let db: Db
  const sent: string[] = []

  beforeAll(async () => {
    store = await open()
    way = await slowWay(store.url)
    client = await new MongoClient(way.url, { monitorCommands: true, heartbeatFrequencyMS: 3_600_000 }).connect()
    db = guardDb(client.db(store.db.databaseName), { beforeRead: readSignal, beforeWrite: shield })
    const rows = Array.from({ length: 300 }, (_, index) => ({ _id: index, name: `row ${index}` }))
    await db.collection<Row>('rows').insertMany(rows)
    client.on('commandStarted', ({ commandName }: CommandStartedEvent) => void sent.push(commandName))
  })
  afterAll(async () => {
    await client.close()
    await way.close()
    await store.close()
  })

  const rows = () => db.collection<Row>('rows')
  const reading: [name: string, read: () => Promise<unknown>][] = [
    [
      'find',
      () =>
        rows()
          .find({ _id: { $lt: 10 } })
          .toArray(),
    ],
    ['findOne', () => rows().findOne({ name: 'row 1' })],
    ['aggregate without stages', () => rows().aggregate().limit(3).toArray()],
    [
      'aggregate',
      () =>
        rows()
          .aggregate([{ $match: { _id: 1 } }])
          .toArray(),
    ],
    ['countDocuments', () => rows().countDocuments({ _id: { $lt: 10 } })],
  ]

  const lookups: typeof reading = [
    ['a row by its id', () => db.collection<{ _id: string }>('names').findOne({ _id: 'a' })],
    [
      'rows by their ids',
      () =>
        rows()
          .find({ _id: { $in: [1, 2] } })
          .toArray(),
    ],
  ]

  test('a guarded database returns the same results as an unguarded one, inside and outside of calls', async () => {
    const shown = async () => [
      await rows()
        .find({ _id: { $lt: 3 } }, { projection: { name: 1, _id: 0 } })
        .sort({ _id: -1 })
        .limit(2)
        .toArray(),
      await rows().find().toArray(),
      await rows().findOne({ name: 'row 7' }),
      await rows()
        .aggregate([{ $group: { _id: null, most: { $max: '$_id' } } }])
        .toArray(),
      await rows().countDocuments(),
    ]
    const outside = await shown()
    expect(outside[0]).toEqual([{ name: 'row 2' }, { name: 'row 1' }])
    expect(outside[4]).toBe(300)
    expect(await runCancellable(new AbortController().signal, shown)).toEqual(outside)
  })

  test.for(reading)('a long %s is aborted when the client disconnects, also in the database', async ([, read]) => {
    const controller = new AbortController()
    const before = way.closed()
    way.hold()
    const call = runCancellable(controller.signal, async () => {
      const answer = read()
      await vi.waitUntil(() => sent.length > 0, patience)
      controller.abort()
      return answer
    })
    sent.length = 0
    await expect(call).rejects.toThrow(ClientDisconnected)
    await vi.waitUntil(() => way.closed() > before, patience)
    way.release()
    expect(await rows().countDocuments()).toBe(300)
  })

  test.for(lookups)('%s: a fast lookup is not aborted in the database', async ([, read]) => {
    await db.collection<{ _id: string }>('names').replaceOne({ _id: 'a' }, {}, { upsert: true })
    const controller = new AbortController()
    const before = way.closed()
    const answer = await runCancellable(controller.signal, async () => {
      const answered = read()
      vi.useFakeTimers({ toFake: ['setTimeout'] })
      controller.abort()
      vi.advanceTimersByTime(60_000)
      vi.useRealTimers()
      return answered
    })
    expect(answer).not.toBeNull()
    expect(way.closed()).toBe(before)
  })

  test.for(reading)('a quick %s keeps its connection if the client disconnects', async ([, read]) => {
    const controller = new AbortController()
    const before = way.closed()
    const answer = await runCancellable(controller.signal, async () => {
      const answered = read()
      // The grace period does not end.
      vi.useFakeTimers({ toFake: ['setTimeout'] })
      controller.abort()
      vi.useRealTimers()
      return answered
    })
    expect(answer).not.toBeNull()
    expect(way.closed()).toBe(before)
  })

  test.for([...reading, ...lookups])('%s does not start after the client disconnected', async ([, read]) => {
    const controller = new AbortController()
    sent.length = 0
    const call = runCancellable(controller.signal, () => {
      controller.abort()
      return read()
    })
    await expect(call).rejects.toThrow(ClientDisconnected)
    expect(sent).toEqual([])
  })

  test('a long cursor is aborted between two batches', async () => {
    const controller = new AbortController()
    let seen = 0
    sent.length = 0
    const call = runCancellable(controller.signal, async () => {
      for await (const _ of rows().find({}, { batchSize: 100 })) {
        seen += 1
        if (seen < 100) continue
        const ended = new Promise((resolve) => readSignal()?.addEventListener('abort', resolve))
        controller.abort()
        await ended
      }
    })
    await expect(call).rejects.toThrow(ClientDisconnected)
    expect(seen).toBe(100)
    expect(sent.filter((name) => name === 'getMore')).toEqual([])
  })

  test('a call that has written runs to completion', async () => {
    const controller = new AbortController()
    const count = await runCancellable(controller.signal, async () => {
      const written = rows().insertOne({ _id: 1000 })
      controller.abort()
      await written
      await rows().deleteOne({ _id: 1000 })
      return rows().countDocuments()
    })
    expect(count).toBe(300)
  })

  test('no write starts after the client disconnected', async () => {
    const controller = new AbortController()
    const call = runCancellable(controller.signal, () => {
      controller.abort()
      return rows().insertOne({ _id: 1001 })
    })
    await expect(call).rejects.toThrow(ClientDisconnected)
    expect(await rows().findOne({ _id: 1001 })).toBeNull()
  })
})
