import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { BSON } from 'mongodb'
import type { Document } from 'mongodb'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Cursors } from '../../../../src/db/embedded/engine/cursors.ts'
import { Scheduler } from '../../../../src/db/embedded/protocol/scheduler.ts'
import { parseMessage } from '../../../../src/db/embedded/protocol/wire.ts'
import { Catalog } from '../../../../src/db/embedded/storage/catalog.ts'
import { GroupCommit } from '../../../../src/db/embedded/storage/group-commit.ts'
import { Retries } from '../../../../src/db/embedded/storage/retries.ts'
import { closeStorage, openStorage } from '../../../../src/db/embedded/storage/sqlite.ts'
import type { Connection } from '../../../../src/db/embedded/storage/sqlite.ts'
import { encodeMessage } from '../../../support/wire-client.ts'

let directory: string
let connection: Connection
let scheduler: Scheduler
let cursors: Cursors
let defects: unknown[]

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'lectern-group-'))
  connection = openStorage(directory)
  defects = []
  const [catalog, retries] = [new Catalog(connection), new Retries(connection)]
  cursors = new Cursors()
  scheduler = new Scheduler({
    engine: { connection, catalog, cursors, address: '' },
    commits: new GroupCommit({ connection, catalog }),
    retries,
    log: (error) => defects.push(error),
  })
})
afterEach(() => {
  closeStorage(connection)
  rmSync(directory, { recursive: true })
})

/** Sends commands at the same time, like several clients, and returns their replies. */
function together(...commands: Document[]): Promise<Document[]> {
  return Promise.all(
    commands.map((command) => {
      const { promise, resolve } = Promise.withResolvers<Document>()
      const request = parseMessage(encodeMessage({ ...command, $db: 'a' }))
      const answer = (document: Uint8Array) => resolve(BSON.deserialize(document))
      scheduler.submit({ request, answer, hasDisconnected: () => false })
      return promise
    }),
  )
}

const insert = (_id: number, text = '') => ({ insert: 'c', documents: [{ _id, text }] })
const stored = async () => {
  const [reply] = await together({ find: 'c', projection: { _id: 1 } })
  return reply?.['cursor'].firstBatch.map(({ _id }: { _id: number }) => _id)
}

/** A write as a driver sends it, so that it may be repeated. */
const numbered = (command: Document, number: number) => ({
  ...command,
  lsid: { id: new BSON.UUID('00112233445566778899aabbccddeeff') },
  txnNumber: BSON.Long.fromNumber(number),
})

test.for<[what: string, command: Document]>([
  ['a search for work', { findAndModify: 'c', query: { _id: 9 }, update: { $set: { text: 'b' } } }],
  ['an update', { update: 'c', updates: [{ q: { _id: 9 }, u: { $set: { text: 'b' } } }] }],
  ['an update to the same value', { update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { text: 'a' } } }] }],
  ['a removal', { delete: 'c', deletes: [{ q: { _id: 9 }, limit: 1 }] }],
])('a write that changes nothing writes nothing to disk: %s', async ([, command]) => {
  await together(numbered(insert(1, 'a'), 1))
  const log = join(directory, 'store.db-wal')
  const before = statSync(log).size
  expect(await together(numbered(command, 2))).toMatchObject([{ ok: 1 }])
  expect(statSync(log).size).toBe(before)
  await together(numbered({ delete: 'c', deletes: [{ q: { _id: 1 }, limit: 1 }] }, 3))
  expect(statSync(log).size).toBeGreaterThan(before)
})

describe('commands that arrive together', () => {
  test('are committed before the first of them is answered', async () => {
    const committed = new DatabaseSync(join(directory, 'store.db'), { readOnly: true })
    const seen: unknown[] = []
    const request = parseMessage(encodeMessage({ ...insert(1), $db: 'a' }))
    const { promise, resolve } = Promise.withResolvers<void>()
    const answer = () => {
      seen.push(committed.prepare('SELECT count(*) AS n FROM c1').get()?.['n'])
      if (seen.length === 2) resolve()
    }
    const second = parseMessage(encodeMessage({ ...insert(2), $db: 'a' }))
    scheduler.submit({ request, answer, hasDisconnected: () => false })
    scheduler.submit({ request: second, answer, hasDisconnected: () => false })
    await promise
    committed.close()
    expect(seen).toEqual([2, 2])
  })

  test('fail alone', async () => {
    const index = { createIndexes: 'c', indexes: [{ key: { text: 1 }, name: 't', unique: true }] }
    const replies = await together(insert(1, 'a'), insert(2, 'a'), index, insert(3, 'a'), {
      insert: 'd',
      documents: [],
    })
    expect(replies.map(({ ok, code }) => [ok, code])).toEqual([
      [1, undefined],
      [1, undefined],
      [0, 11000],
      [1, undefined],
      [0, 16],
    ])
    expect(await stored()).toEqual([1, 2, 3])
    const plain = { createIndexes: 'c', indexes: [{ key: { text: 1 }, name: 't' }] }
    const [indexes, collections] = await together(plain, { listCollections: 1 })
    expect(indexes).toMatchObject({ numIndexesBefore: 1, numIndexesAfter: 2 })
    expect(collections?.['cursor'].firstBatch.map(({ name }: { name: string }) => name)).toEqual(['c'])
  })

  test('see each other in the order of their arrival', async () => {
    const [, found] = await together(insert(1), { find: 'c' })
    expect(found?.['cursor'].firstBatch).toHaveLength(1)
  })

  test('see each other also when the first of them reads, and leave no transaction open', async () => {
    await together(insert(1))
    const count = { count: 'c' }
    const replies = await together(count, { find: 'c', filter: { $none: 1 } }, insert(2), count, insert(3), count)
    expect(replies.map(({ n, code }) => code ?? n)).toEqual([1, 2, 1, 2, 1, 3])
    expect(await together(count, count)).toMatchObject([{ n: 3 }, { n: 3 }])
    expect(connection.inTransaction).toBe(false)
    const other = new DatabaseSync(join(directory, 'store.db'))
    expect(other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0 })
    other.close()
    expect(defects).toEqual([])
  })

  test('leave nothing behind when they fail midway', async () => {
    await together(insert(1))
    const pages = connection.get<[number]>('PRAGMA page_count')?.[0] ?? 0
    connection.exec(`PRAGMA max_page_count = ${pages + 4}`)
    const documents = [{ _id: 2 }, { _id: 3, text: 'x'.repeat(500_000) }]
    const [reply] = await together({ insert: 'c', documents, ordered: false })
    connection.exec('PRAGMA max_page_count = 1000000')
    expect(reply).toMatchObject({ ok: 0, code: 14031 })
    expect(await stored()).toEqual([1])
  })

  test('are refused when the disk is full, and writes succeed when there is space again', async () => {
    await together(insert(1))
    const pages = connection.get<[number]>('PRAGMA page_count')?.[0] ?? 0
    connection.exec(`PRAGMA max_page_count = ${pages + 4}`)
    const replies = await together(insert(2), insert(3, 'x'.repeat(500_000)))
    expect(replies[1]).toMatchObject({ ok: 0, code: 14031, codeName: 'OutOfDiskSpace' })
    // Exactly the documents that were acknowledged are stored.
    expect(await stored()).toEqual(replies[0]?.['ok'] === 1 ? [1, 2] : [1])
    connection.exec('PRAGMA max_page_count = 1000000')
    expect(await together(insert(4, 'x'.repeat(500_000)))).toMatchObject([{ ok: 1, n: 1 }])
    expect(defects).not.toEqual([])
  })
})

describe('a read that arrives with a write that finds no space', () => {
  test('is answered, without what the write would have stored', async () => {
    await together(insert(1))
    const pages = connection.get<[number]>('PRAGMA page_count')?.[0] ?? 0
    connection.exec(`PRAGMA max_page_count = ${pages + 4}`)
    const find = { find: 'c', projection: { _id: 1 } }
    const replies = await together(insert(2), find, insert(3, 'x'.repeat(500_000)), find, { ping: 1 })
    expect(replies.map(({ code }) => code)).toEqual([14031, undefined, 14031, undefined, undefined])
    expect([replies[1], replies[3]].map((reply) => reply?.['cursor'].firstBatch)).toEqual([[{ _id: 1 }], [{ _id: 1 }]])
    connection.exec('PRAGMA max_page_count = 1000000')
    expect(connection.inTransaction).toBe(false)
    expect(await stored()).toEqual([1])
  })
})

describe('commands whose client disconnects before they are run', () => {
  /** Sends a command whose client disconnects before the answer, together with others that are answered. */
  const abandon = async (command: Document) => {
    const request = parseMessage(encodeMessage({ ...command, $db: 'a' }))
    const answer = () => defects.push(new Error('answered'))
    scheduler.submit({ request, answer, hasDisconnected: () => true })
    await together({ ping: 1 })
  }
  const cursorOf = async () => {
    const [reply] = await together({ find: 'c', batchSize: 1 })
    return reply?.['cursor'].id
  }
  beforeEach(() => together(insert(1), insert(2), insert(3)))

  test('are not run when they read', async () => {
    await abandon({ find: 'c', batchSize: 1 })
    await abandon({ aggregate: 'c', pipeline: [], cursor: { batchSize: 1 } })
    expect(cursors.size).toBe(0)
    const id = await cursorOf()
    await abandon({ getMore: id, collection: 'c' })
    const [rest] = await together({ getMore: id, collection: 'c' })
    expect(rest?.['cursor'].nextBatch).toHaveLength(2)
    expect(defects).toEqual([])
  })

  test('are run when they write, or close a cursor', async () => {
    const answered = () => defects.splice(0).length
    await abandon(insert(4))
    expect(answered()).toBe(1)
    expect(await stored()).toEqual([1, 2, 3, 4])
    await cursorOf().then((id) => abandon({ killCursors: 'c', cursors: [id] }))
    expect(cursors.size).toBe(0)
  })
})

describe('after a slow command', () => {
  const words = { $split: [{ $literal: 'x '.repeat(3_000_000) }, ' '] }
  const long = { aggregate: 'c', cursor: {}, pipeline: [{ $project: { word: { $arrayElemAt: [words, 0] } } }] }
  beforeEach(() => together(insert(1), insert(2), insert(3)))

  test('commands run in order', async () => {
    const replies = together(long, insert(4), long, { find: 'c' })
    const order: number[] = []
    const later = together(insert(5)).then(() => order.push(2))
    const [, , , found] = await replies.finally(() => order.push(1))
    await later
    expect(found?.['cursor'].firstBatch).toHaveLength(4)
    expect(order).toEqual([1, 2])
  })

  test('a client that disconnects meanwhile is detected before its command is run', async () => {
    let gone = false
    const request = parseMessage(encodeMessage({ find: 'c', batchSize: 1, $db: 'a' }))
    const answer = () => defects.push(new Error('answered'))
    const others = together(long)
    scheduler.submit({ request, answer, hasDisconnected: () => gone })
    // Connections end like this: after the commands of the current turn of the event loop.
    setImmediate(() => (gone = true))
    await Promise.all([others, together({ ping: 1 })])
    expect(cursors.size).toBe(0)
    expect(defects).toEqual([])
  })
})

describe('write concerns', () => {
  const unsynced = (command: Document) => ({ ...command, writeConcern: { w: 'majority', j: false } })
  const [normal, full] = [1, 2]
  const level = () => connection.get<[number]>('PRAGMA synchronous')?.[0]

  test('a commit waits for the disk if one of its writes requires it', async () => {
    await together(insert(1))
    expect(level()).toBe(full)
    await together(unsynced(insert(2)), unsynced(insert(3)))
    expect(level()).toBe(normal)
    await together(insert(4), unsynced(insert(5)))
    expect(level()).toBe(full)
    await together(unsynced(insert(6)), insert(7))
    expect(level()).toBe(full)
    expect(await stored()).toEqual([1, 2, 3, 4, 5, 6, 7])
  })

  test('a failing write is rolled back alone, whatever the others require', async () => {
    await together(insert(1))
    const replies = await together(unsynced(insert(2)), unsynced(insert(1)), insert(1), insert(3), unsynced(insert(3)))
    expect(replies.map(({ n }) => n)).toEqual([1, 0, 0, 1, 0])
    expect(await stored()).toEqual([1, 2, 3])
  })
})
