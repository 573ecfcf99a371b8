import { spawn } from 'node:child_process'
import { cpSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { BSON, MongoClient } from 'mongodb'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { addressOf } from '../../../src/db/embedded/protocol/address.ts'
import { findEmbeddedStore, startEmbeddedStore } from '../../../src/db/embedded/start.ts'
import { sendCommand } from '../../support/wire-client.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lectern-start-'))
})
afterEach(() => rm(directory, { recursive: true }))

function socketOf(url: string): string {
  const address = addressOf(url)
  if (!address || !('socket' in address)) throw new Error(`no socket: ${url}`)
  return address.socket
}

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)

describe('the embedded store', () => {
  test('keeps what was stored over a restart', async () => {
    for (const expected of [0, 1]) {
      const store = await startEmbeddedStore({ directory })
      const client = await new MongoClient(store.url).connect()
      const notes = client.db('a').collection('notes')
      expect(await notes.countDocuments()).toBe(expected)
      await notes.insertOne({})
      await client.close()
      await store.stop()
    }
  })

  test('is accessible to its own user only', async () => {
    const store = await startEmbeddedStore({ directory })
    const socket = socketOf(store.url)
    expect([mode(socket), mode(dirname(socket)), mode(join(directory, 'store.url'))]).toEqual(['600', '700', '600'])
    await store.stop()
  })

  test('locks its directory until it has stopped', async () => {
    const store = await startEmbeddedStore({ directory })
    await expect(startEmbeddedStore({ directory })).rejects.toThrow('in use by another process')
    await store.stop()
    await (await startEmbeddedStore({ directory })).stop()
  })

  test('is found by other processes while it runs', async () => {
    expect(await findEmbeddedStore(directory)).toBeNull()
    const store = await startEmbeddedStore({ directory })
    expect(await findEmbeddedStore(directory)).toBe(store.url)
    await store.stop()
    expect(await findEmbeddedStore(directory)).toBeNull()
  })

  test('works in a directory whose path is too long for a socket', async () => {
    const deep = join(directory, 'd'.repeat(60), 'e'.repeat(60))
    mkdirSync(deep, { recursive: true })
    const store = await startEmbeddedStore({ directory: deep })
    const made = dirname(socketOf(store.url))
    expect(mode(made)).toBe('700')
    expect(await findEmbeddedStore(deep)).toBe(store.url)
    await store.stop()
    expect(() => statSync(made)).toThrow('ENOENT')
  })

  test.for([
    ['its directory', 'original'],
    ['a temporary directory', `${'d'.repeat(60)}/${'e'.repeat(60)}`],
  ] as const)('is neither found nor disturbed through a copy of its data, with the socket in %s', async ([, name]) => {
    const [original, copy] = [join(directory, name), join(directory, `${name}-copy`)]
    mkdirSync(original, { recursive: true })
    const store = await startEmbeddedStore({ directory: original })
    cpSync(original, copy, { recursive: true, filter: (path) => !lstatSync(path).isSocket() })
    expect(await findEmbeddedStore(copy)).toBeNull()
    const other = await startEmbeddedStore({ directory: copy })
    expect(other.url).not.toBe(store.url)
    await other.stop()
    expect(await findEmbeddedStore(original)).toBe(store.url)
    expect(await sendCommand(store.url, { ping: 1, $db: 'a' })).toMatchObject({ ok: 1 })
    await store.stop()
  })

  test('is found through a symbolic link to its directory', async () => {
    const [real, link] = [join(directory, 'real'), join(directory, 'link')]
    mkdirSync(real)
    symlinkSync(real, link)
    const store = await startEmbeddedStore({ directory: link })
    expect(await findEmbeddedStore(real)).toBe(store.url)
    await store.stop()
  })

  test('starts in the directory of a killed store', async () => {
    const start = new URL('../../../src/db/embedded/start.ts', import.meta.url).href
    const program = `import(${JSON.stringify(start)}).then((m) => m.startEmbeddedStore({ directory: process.argv[1] })).then(({ url }) => console.log(url))`
    const child = spawn(process.execPath, ['-e', program, directory], { stdio: ['ignore', 'pipe', 'inherit'] })
    for await (const line of child.stdout) {
      expect(await findEmbeddedStore(directory)).toBe(String(line).trim())
      child.kill('SIGKILL')
    }
    expect(readFileSync(join(directory, 'store.url'), 'utf8')).toContain('store.sock')
    expect(await findEmbeddedStore(directory)).toBeNull()
    const store = await startEmbeddedStore({ directory })
    expect(await findEmbeddedStore(directory)).toBe(store.url)
    await store.stop()
  })

  test('answers a repeated write the same after a restart, and applies it once', async () => {
    const lsid = { id: new BSON.UUID().toBinary() }
    const write = { txnNumber: BSON.Long.fromNumber(1), lsid, $db: 'a' }
    const push = {
      findAndModify: 'c',
      query: { _id: 1 },
      update: { $push: { l: 1 } },
      new: true,
      upsert: true,
      ...write,
    }
    const answers: unknown[] = []
    for (let i = 0; i < 2; i += 1) {
      const store = await startEmbeddedStore({ directory })
      if (i === 0) answers.push(await sendCommand(store.url, push))
      answers.push(await sendCommand(store.url, push))
      const found = await sendCommand(store.url, { find: 'c', $db: 'a' })
      expect(found['cursor'].firstBatch).toEqual([{ _id: 1, l: [1] }])
      await store.stop()
    }
    const pushed = { ok: 1, value: { _id: 1, l: [1] } }
    expect(answers).toMatchObject([pushed, pushed, pushed])
  })

  test('refuses a file of a newer format', async () => {
    await (await startEmbeddedStore({ directory })).stop()
    const path = join(directory, 'store.db')
    const bytes = readFileSync(path)
    bytes.writeUInt32BE(99, 60) // user_version
    writeFileSync(path, bytes)
    await expect(startEmbeddedStore({ directory })).rejects.toThrow('format 99')
  })

  test('answers pending commands before it stops', async () => {
    const store = await startEmbeddedStore({ directory })
    const client = await new MongoClient(store.url, { serverSelectionTimeoutMS: 500 }).connect()
    const notes = client.db('a').collection('notes')
    const writes = Array.from({ length: 200 }, (_, n) => notes.insertOne({ n }))
    const settled = Promise.allSettled(writes)
    await writes[0]
    await store.stop()
    const results = await settled
    await client.close()
    const again = await startEmbeddedStore({ directory })
    const other = await new MongoClient(again.url).connect()
    const kept = new Set((await other.db('a').collection('notes').distinct('n')) as number[])
    const lost = results.flatMap((result, n) => (result.status === 'fulfilled' && !kept.has(n) ? [n] : []))
    await other.close()
    await again.stop()
    expect(lost).toEqual([])
  })
})
