import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startFlakyStoreServer, type FlakyStoreServer } from '../support/flaky-store-server.ts'
import type { TestServer } from '../support/server.ts'
import type { StoreProxy } from '../support/store-proxy.ts'
import { confirmUpload, readPageTexts, sendFile } from '../support/uploads.ts'

let lossy: FlakyStoreServer
let server: TestServer
let proxy: StoreProxy

beforeAll(async () => {
  lossy = await startFlakyStoreServer({}, { impatient: true, pollIntervalMs: 100, leaseMs: 1500 })
  ;({ server, proxy } = lossy)
})
afterAll(() => lossy.close())

const chapters = ['# One\n\ntext\n', '# Two\n\nmore\n']
const file = { filename: 'notes.md', bytes: Buffer.from(chapters.join('')) }

test('an import succeeds whichever database reply is lost', { timeout: 360_000 }, async () => {
  const { books } = server.running.opened.services
  for (let at = 1, sent = Infinity; at <= sent; at++) {
    const person = await server.createPerson()
    const upload = await sendFile(server, person, file)
    const lost = proxy.loseReply(at)
    // A confirmation whose reply was lost is refused with 503 and repeated, as the refusal says.
    for (let again = true; again;) again = (await confirmUpload(server, person, upload)).body.code === 'UNAVAILABLE'
    const isReady = async () => {
      const [book] = await books.findOwned(person.id, [upload.itemId]).catch(() => [])
      return book?.status === 'READY'
    }
    await vi.waitUntil(isReady, { timeout: 20_000, interval: 20 })
    sent = lost.writes.length
    proxy.loseReply(Infinity)
    expect(await readPageTexts(server, person, upload.itemId), lost.writes[at - 1]).toEqual(chapters)
  }
})
