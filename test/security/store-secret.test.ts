import { readFileSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { expect, onTestFinished, test } from 'vitest'
import { addressOf } from '../../src/db/embedded/protocol/address.ts'
import { findEmbeddedStore, startEmbeddedStore } from '../../src/db/embedded/start.ts'
import { createTemporaryFolder } from '../support/extraction.ts'
import { encodeMessage, readReplies } from '../support/wire-client.ts'

async function runningStore() {
  const directory = await createTemporaryFolder()
  const store = await startEmbeddedStore({ directory })
  onTestFinished(() => store.stop())
  const address = addressOf(store.url)
  if (!address || !('socket' in address)) throw new Error(`no socket: ${store.url}`)
  return { directory, store, socket: address.socket, secret: String(address.secret) }
}

test.for([
  ['find', { find: 'accounts', $db: 'lectern' }],
  ['insert', { insert: 'keys', documents: [{ scopes: [] }], $db: 'lectern' }],
  ['dropDatabase', { dropDatabase: 1, $db: 'lectern' }],
] as const)('a program that reaches the socket of the store without its secret cannot %s', async ([, command]) => {
  const { socket } = await runningStore()
  const client = connect(socket)
  client.write(encodeMessage(command))
  expect(await readReplies(client, 1)).toMatchObject([
    { ok: 0, code: 13, errmsg: expect.stringContaining('secret of its data directory') },
  ])
})

test('a wrong secret is refused', async () => {
  const { store, secret } = await runningStore()
  const client = new MongoClient(store.url.replace(secret, 'f'.repeat(48)), { serverSelectionTimeoutMS: 2000 })
  await expect(client.db('a').collection('c').countDocuments()).rejects.toMatchObject({ code: 18 })
  await client.close()
})

test('only the owner of the data directory can read the secret; it stays the same after a restart', async () => {
  const { directory, secret } = await runningStore()
  expect(statSync(join(directory, 'store.secret')).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(directory, 'store.secret'), 'utf8').trim()).toBe(secret)
  const other = await createTemporaryFolder()
  const urls: string[] = []
  for (let n = 0; n < 2; n++) {
    const store = await startEmbeddedStore({ directory: other })
    urls.push(store.url)
    await store.stop()
  }
  expect(urls[0]).toBe(urls[1])
  expect(urls[0]).not.toContain(secret)
})

test('a command of an earlier version gets an explanation; one of this version is served', async () => {
  const { directory, store } = await runningStore()
  expect(await findEmbeddedStore(directory)).toBe(store.url)
  const earlier = new MongoClient(readFileSync(join(directory, 'store.url'), 'utf8').trim())
  onTestFinished(() => earlier.close())
  await expect(earlier.db('a').collection('c').insertOne({})).rejects.toThrow(/programs of the same version/)
})
