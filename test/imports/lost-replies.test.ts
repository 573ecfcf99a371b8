import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { databaseOf, startTestServer, type TestServer } from '../support/server.ts'
import { openEmbedded, type OpenStore } from '../support/stores.ts'
import { openStoreProxy, type StoreProxy } from '../support/store-proxy.ts'
import { confirm, pagesOf, sendFile } from '../support/uploads.ts'

let store: OpenStore
let proxy: StoreProxy
let server: TestServer

beforeAll(async () => {
  store = await openEmbedded()
  const url = databaseOf(`lost-imports-${process.pid}`).LECTERN_MONGODB_URL ?? store.url
  proxy = await openStoreProxy(url, { impatient: true })
  server = await startTestServer({ LECTERN_MONGODB_URL: proxy.url }, { pollMs: 100, leaseMs: 1500 })
})
afterAll(async () => {
  await server.close()
  await proxy.close()
  await store.close()
})

const chapters = ['# One\n\ntext\n', '# Two\n\nmore\n']
const file = { filename: 'notes.md', bytes: Buffer.from(chapters.join('')) }

test('an import ends with its book, whichever reply of the store is lost', { timeout: 120_000 }, async () => {
  const { books } = server.running.open.services
  for (let at = 1, sent = Infinity; at <= sent; at++) {
    const person = await server.person()
    const upload = await sendFile(server, person, file)
    const lost = proxy.loseReply(at)
    await confirm(server, person, upload)
    const isReady = async () => {
      const [book] = await books.owned(person.id, [upload.itemId]).catch(() => [])
      return book?.status === 'READY'
    }
    await vi.waitUntil(isReady, { timeout: 20_000, interval: 20 })
    sent = lost.writes.length
    proxy.loseReply(Infinity)
    expect(await pagesOf(server, person, upload.itemId), lost.writes[at - 1]).toEqual(chapters)
  }
})
