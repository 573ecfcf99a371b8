import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectDatabase } from '../../src/db/connect.ts'
import { openEmbedded } from '../support/stores.ts'

let store: Awaited<ReturnType<typeof openEmbedded>>

beforeAll(async () => {
  store = await openEmbedded()
})
afterAll(() => store.close())

async function timesOf(url: string) {
  const { db, close } = await connectDatabase({ url, directory: '' })
  const { heartbeatFrequencyMS, connectTimeoutMS, serverSelectionTimeoutMS, socketTimeoutMS } = db.client.options
  await close()
  return { heartbeatFrequencyMS, connectTimeoutMS, serverSelectionTimeoutMS, socketTimeoutMS }
}

const usual = {
  heartbeatFrequencyMS: 500,
  connectTimeoutMS: 2000,
  serverSelectionTimeoutMS: 2000,
  socketTimeoutMS: 30_000,
}

test('operations on a lost remote database fail within 5 s', async () => {
  expect(await timesOf(store.url)).toEqual(usual)
})

test('timeouts in the URL take precedence, in any letter case', async () => {
  expect(store.url).toContain('?')
  const times = { ...usual, connectTimeoutMS: 8000, heartbeatFrequencyMS: 5000 }
  expect(await timesOf(`${store.url}&connectTimeoutMS=8000&heartbeatfrequencyms=5000`)).toEqual(times)
})
