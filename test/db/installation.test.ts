import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectDatabase, openDatabase } from '../../src/db/connect.ts'
import { schemaVersions } from '../../src/db/installation.ts'
import { openFileSnapshot } from '../../src/db/embedded/snapshot.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lectern-installation-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const row = { _id: 'library' as never }

test('a library of a newer schema is refused with a sentence, and stays unchanged', async () => {
  const place = { url: undefined, directory: join(directory, 'newer') }
  const made = await connectDatabase(place)
  expect(await made.db.collection('installation').findOne(row)).toEqual({
    _id: 'library',
    schema: schemaVersions.written,
  })
  await made.db.collection('installation').updateOne(row, { $set: { schema: schemaVersions.known + 1 } })
  await made.close()
  await expect(connectDatabase(place)).rejects.toThrow(
    /^A newer version of Lectern has written this library: its schema is 2, and this version knows 1\. Install the newer/,
  )
  const opened = await openDatabase(place)
  expect(await opened.db.collection('installation').findOne(row)).toEqual({
    _id: 'library',
    schema: schemaVersions.known + 1,
  })
  await opened.close()
})

test('processes that create a library concurrently all open it', async () => {
  const place = { url: undefined, directory: join(directory, 'together') }
  const first = await openDatabase(place)
  const opened = await Promise.all([connectDatabase(place), connectDatabase(place), connectDatabase(place)])
  for (const { close } of opened) await close()
  await first.close()
})

test('a snapshot of the embedded store contains acknowledged writes, and nothing later', async () => {
  const place = { url: undefined, directory: join(directory, 'snapshot') }
  const { db, close } = await connectDatabase(place)
  const things = db.collection<{ _id: number; word: string }>('things')
  await things.insertMany(Array.from({ length: 100 }, (_, _id) => ({ _id, word: 'before' })))
  const snapshot = openFileSnapshot(join(place.directory, 'store'), 'lectern')
  await things.updateMany({}, { $set: { word: 'after' } })
  await things.insertOne({ _id: 100, word: 'after' })
  await db.collection('others').insertOne({})
  const read = [...snapshot.read('things')].map((bytes) => Buffer.from(bytes).toString('latin1'))
  expect(read).toHaveLength(100)
  expect(read.every((text) => text.includes('before'))).toBe(true)
  expect(snapshot.collections).not.toContain('others')
  expect([...snapshot.read('others')]).toEqual([])
  snapshot.close()
  await close()
})
