import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DatabaseSync } from 'node:sqlite'
import { MongoClient } from 'mongodb'
import { expect, test } from 'vitest'
import { startEmbeddedStore } from '../../../../src/db/embedded/start.ts'
import { createTemporaryFolder } from '../../../support/extraction.ts'

const documents = 400
const kept = 20
const megabyte = 1024 * 1024

/** Creates a stopped store of 40 MB, of which 38 MB are deleted. */
async function mostlyDeleted(): Promise<string> {
  const directory = await createTemporaryFolder()
  const store = await startEmbeddedStore({ directory })
  const client = await new MongoClient(store.url).connect()
  const notes = client.db('a').collection<{ _id: number; text: Buffer }>('notes')
  for (let first = 0; first < documents; first += 50) {
    await notes.insertMany(Array.from({ length: 50 }, (_, n) => ({ _id: first + n, text: randomBytes(100_000) })))
  }
  await notes.deleteMany({ _id: { $lt: documents - kept } })
  await client.close()
  await store.stop()
  return directory
}

const sizeOf = (directory: string) => statSync(join(directory, 'store.db')).size

function withFile<T>(directory: string, use: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(join(directory, 'store.db'))
  try {
    return use(db)
  } finally {
    db.close()
  }
}

async function expectWhole(directory: string): Promise<void> {
  expect(withFile(directory, (db) => db.prepare('PRAGMA integrity_check').all())).toEqual([{ integrity_check: 'ok' }])
  const store = await startEmbeddedStore({ directory })
  const client = await new MongoClient(store.url).connect()
  const notes = await client.db('a').collection<{ _id: number; text: { length(): number } }>('notes').find().toArray()
  await client.close()
  await store.stop()
  expect(notes.map(({ _id }) => _id)).toEqual(Array.from({ length: kept }, (_, n) => documents - kept + n))
  for (const { text } of notes) expect(text.length()).toBe(100_000)
}

test('the file is small again after much was deleted, and commands are answered meanwhile', async () => {
  const directory = await mostlyDeleted()
  const before = sizeOf(directory)
  expect(before).toBeGreaterThan(38 * megabyte)
  const store = await startEmbeddedStore({ directory })
  const client = await new MongoClient(store.url).connect()
  let slowestMs = 0
  while (sizeOf(directory) > 12 * megabyte) {
    const startedAt = performance.now()
    await client
      .db('a')
      .collection<{ _id: number }>('notes')
      .findOne({ _id: documents - 1 })
    slowestMs = Math.max(slowestMs, performance.now() - startedAt)
    await delay(5)
  }
  await client.close()
  await store.stop()
  expect(slowestMs).toBeLessThan(5000)
  await expectWhole(directory)
})

test('the file of an earlier version, which could not shrink, does so after one start', async () => {
  const directory = await mostlyDeleted()
  withFile(directory, (db) => db.exec('PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = NONE; VACUUM'))
  expect(withFile(directory, (db) => db.prepare('PRAGMA auto_vacuum').get())).toEqual({ auto_vacuum: 0 })
  await expectWhole(directory)
  expect(withFile(directory, (db) => db.prepare('PRAGMA auto_vacuum').get())).toEqual({ auto_vacuum: 2 })
})

test('a store that is killed while its file shrinks loses nothing', async () => {
  const directory = await mostlyDeleted()
  const start = new URL('../../../../src/db/embedded/start.ts', import.meta.url).href
  const program = `import(${JSON.stringify(start)}).then((m) => m.startEmbeddedStore({ directory: process.argv[1] })).then(() => console.log('ready'))`
  for (const waitMs of [0, 10, 25, 50]) {
    const child = spawn(process.execPath, ['-e', program, directory], { stdio: ['ignore', 'pipe', 'inherit'] })
    for await (const _ of child.stdout) {
      await delay(waitMs)
      child.kill('SIGKILL')
    }
  }
  await expectWhole(directory)
})
