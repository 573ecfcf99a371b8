import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEmbeddedStore, type EmbeddedStore } from '../../../../src/db/embedded/start.ts'

let directory: string
let store: EmbeddedStore
let client: MongoClient

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lectern-changes-'))
  store = await startEmbeddedStore({ directory })
  client = await new MongoClient(store.url).connect()
})

afterAll(async () => {
  await client.close()
  await store.stop()
  await rm(directory, { recursive: true, force: true })
})

const collection = (name: string) => client.db('changes').collection<{ _id: string; n: number; v?: number }>(name)
const countsOf = (name: string, id?: string) => store.countChanges(`changes.${name}`, id)

test('a change is reported within the process before its writer is answered', async () => {
  const rows = collection('rows')
  const writes: [string, () => Promise<unknown>][] = [
    ['insert', () => rows.insertOne({ _id: 'a', n: 1 })],
    ['update', () => rows.updateOne({ n: 1 }, { $set: { v: 2 } })],
    ['find and modify', () => rows.findOneAndUpdate({ _id: 'a' }, { $inc: { n: 1 } })],
    ['replace', () => rows.replaceOne({ _id: 'a' }, { n: 5 })],
    ['upsert', () => rows.updateOne({ _id: 'b' }, { $set: { n: 7 } }, { upsert: true })],
    ['delete', () => rows.deleteMany({})],
  ]
  for (const [name, write] of writes) {
    const [all, before] = [countsOf('rows'), countsOf('rows', name === 'upsert' ? 'b' : 'a')]
    await write()
    expect([name, countsOf('rows') !== all]).toEqual([name, true])
    expect([name, countsOf('rows', name === 'upsert' ? 'b' : 'a') !== before]).toEqual([name, true])
  }
})

test('a read, or a change of another document or collection, is not reported as a change', async () => {
  await collection('one').insertOne({ _id: 'a', n: 1 })
  const [all, row] = [countsOf('one'), countsOf('one', 'a')]
  expect(await collection('one').find().toArray()).toHaveLength(1)
  await collection('one').updateOne({ _id: 'a' }, { $set: { n: 1 } })
  await collection('two').insertOne({ _id: 'a', n: 1 })
  expect(countsOf('one', 'a')).toBe(row)
  expect(countsOf('one')).toBe(all)
  await collection('one').insertOne({ _id: 'b', n: 1 })
  expect(countsOf('one', 'a')).toBe(row)
  expect(countsOf('one')).not.toBe(all)
})

test('dropping the database changes all documents, once for all its collections', async () => {
  await collection('one').insertOne({ _id: 'c', n: 1 })
  await collection('two').insertOne({ _id: 'c', n: 1 })
  const [all, row] = [countsOf('one'), countsOf('one', 'c')]
  await client.db('changes').dropDatabase()
  expect(countsOf('one')).toBe(all + 1)
  expect(countsOf('one', 'c')).toBe(row + 1)
})
