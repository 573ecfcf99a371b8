import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { expect, test } from 'vitest'
import { startEmbeddedStore } from '../../../../src/db/embedded/start.ts'

const directory = mkdtempSync(join(tmpdir(), 'lectern-ttl-'))
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000)

test('expired documents are deleted with their index entries, others stay', async () => {
  const first = await startEmbeddedStore({ directory })
  let client = await new MongoClient(first.url).connect()
  const sessions = client.db('a').collection<{ _id: string; at?: unknown; until?: Date; user?: number }>('sessions')
  await sessions.createIndex({ at: -1 }, { expireAfterSeconds: 100 })
  await sessions.createIndex({ until: 1 }, { expireAfterSeconds: 0, partialFilterExpression: { user: 2 } })
  await sessions.createIndex({ user: 1 })
  await sessions.insertMany([
    { _id: 'old', at: ago(101), user: 1 },
    { _id: 'young', at: ago(50) },
    { _id: 'array with an old date', at: [ago(10), ago(500)] },
    { _id: 'array of young dates', at: [ago(10), ago(20)] },
    { _id: 'no date', at: 'yesterday' },
    { _id: 'null', at: null },
    { _id: 'missing' },
    { _id: 'over', until: ago(1), user: 2 },
    { _id: 'over, but not in the partial index', until: ago(1) },
    { _id: 'to come', until: ago(-100), user: 3 },
    ...Array.from({ length: 1200 }, (_, i) => ({ _id: `many ${i}`, at: ago(1000 + i) })),
  ])
  await client.close()
  await first.stop()

  const second = await startEmbeddedStore({ directory })
  client = await new MongoClient(second.url).connect()
  const left = client.db('a').collection<{ _id: string }>('sessions')
  await expect.poll(() => left.countDocuments()).toBe(7)
  expect((await left.find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id)).toEqual([
    'array of young dates',
    'missing',
    'no date',
    'null',
    'over, but not in the partial index',
    'to come',
    'young',
  ])
  const { executionStats } = await left.find({ user: { $gte: 1 } }).explain('executionStats')
  expect(executionStats).toMatchObject({ nReturned: 1, totalKeysExamined: 1 })
  await client.close()
  await second.stop()
  rmSync(directory, { recursive: true })
})
