import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEmbeddingServer, type EmbeddingServer } from '../support/embedding-server.ts'
import { pictureReader } from '../support/picture-client.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { callOverRest } from '../support/uploads.ts'

let service: EmbeddingServer
let server: TestServer
let plain: TestServer

beforeAll(async () => {
  service = await startEmbeddingServer()
  const settings = { LECTERN_EMBEDDINGS_URL: service.url, LECTERN_EMBEDDINGS_MODEL: 'small' }
  server = await startTestServer(settings)
  plain = await startTestServer({ LECTERN_ROLE: 'web' })
})
afterAll(async () => {
  await server.close()
  await plain.close()
  await service.close()
})

test('a worker embeds books automatically, and the account page says what is sent and switches it off and on', async () => {
  const person = await pictureReader(server)
  const content = '# One\n\nThe physician came.\n'
  await callOverRest(server, person, 'create_markdown_item', { title: 'Visit', content })
  const found = async () => (await person.browser.get('/search?q=doctor')).text
  await expect.poll(found, { timeout: 30_000, interval: 500 }).toContain('The physician came.')
  const account = await person.browser.get('/account')
  expect(account.text).toMatch(/Lectern sends the\s+text\s+of\s+your\s+books/)
  const off = await person.browser.submit('/account', '/account/meaning-search', { enabled: 'off' })
  expect(off.location).toContain('/account?done=meaning-off')
  expect((await person.browser.get('/account')).text).toContain('It is off for your books')
  expect(await found()).toContain('No book matches.')
  await person.browser.submit('/account', '/account/meaning-search', { enabled: 'on' })
  await expect.poll(found, { timeout: 30_000, interval: 500 }).toContain('The physician came.')
})

test('a server without an embedding service does not mention it', async () => {
  const person = await pictureReader(plain)
  expect((await person.browser.get('/account')).text).not.toContain('Search by meaning')
  const { body } = await callOverRest(plain, person, 'get_meaning_search')
  expect(body).toEqual({ enabled: true, available: false })
})
