import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccountContext } from '../../src/admin/commands/account-context.ts'
import { readConfig } from '../../src/app/config.ts'
import { createLog } from '../../src/app/log.ts'
import { openServices } from '../../src/app/services.ts'
import { searchItems } from '../../src/search/search-items.ts'
import { contextOf } from '../support/context.ts'
import { makeBook, markdownPages } from '../support/make-book.ts'
import { startTestServer, type Person, type TestServer } from '../support/server.ts'
import { openStoreProxy, type StoreProxy } from '../support/store-proxy.ts'
import { openEmbedded, type OpenStore } from '../support/stores.ts'

/** Long enough for commands that are sent together to overlap. */
const delayMs = 40
let store: OpenStore
let proxy: StoreProxy
let server: TestServer
let person: Person

beforeAll(async () => {
  store = await openEmbedded()
  proxy = await openStoreProxy(store.url, { delayMs })
  server = await startTestServer({ LECTERN_MONGODB_URL: store.url, LECTERN_ROLE: 'web' })
  person = await server.createPerson()
  for (let book = 0; book < 12; book++)
    await makeBook(server, person, {
      content: `${markdownPages(20)}\n# Last\n\nThe quokka ate leaf${book} and bark.\n`,
    })
  // Indexes the books.
  await searchItems(await contextOf(server, person), { query: 'page', limit: 10 })
})

afterAll(async () => {
  await server?.close()
  await proxy?.close()
  await store?.close()
})

/** Searches with services that have cached nothing. Returns the number of found books, and the commands of each wait for the store. */
async function searchCold(query: string, { id } = person): Promise<{ total: number; waits: string[] }> {
  const config = readConfig({ LECTERN_MONGODB_URL: proxy.url, LECTERN_LOG_LEVEL: 'silent' })
  const { services, database, close } = await openServices(config, { monitorCommands: true })
  const waits: string[] = []
  let running = 0
  try {
    const account = await services.accounts.byId(id)
    if (!account) throw new Error('no account')
    const ctx = createAccountContext({ services, log: createLog('silent') }, account)
    // Opens enough connections, because opening one takes several waits.
    await Promise.all(Array.from({ length: 12 }, () => database.ping()))
    database.client.on('commandStarted', ({ command, commandName }) => {
      const name = `${commandName} ${command[commandName]}`
      if (running++ === 0) waits.push(name)
      else waits.push(`${waits.pop()}, ${name}`)
    })
    for (const end of ['commandSucceeded', 'commandFailed'] as const) database.client.on(end, () => running--)
    const { total } = await searchItems(ctx, { query, limit: 10 })
    return { total, waits: [...waits] }
  } finally {
    await close()
  }
}

test('the first search of a process waits for the store four times at most', async () => {
  const { total, waits } = await searchCold('quokka')
  expect(total).toBe(12)
  expect(waits, waits.join('\n')).toHaveLength(4)
})

test('a library of more books than the first batch of a reply contains takes no further wait', async () => {
  const reader = await server.createPerson()
  for (let book = 0; book < 110; book++)
    await makeBook(server, reader, { title: `Book ${book}`, content: `# First\n\nThe quokka ate leaf${book}.\n` })
  await searchItems(await contextOf(server, reader), { query: 'quokka', limit: 10 })
  const { total, waits } = await searchCold('quokka', reader)
  expect(total).toBe(110)
  expect(waits, waits.join('\n')).toHaveLength(4)
})

test('a word that no book has takes two waits more', async () => {
  const { total, waits } = await searchCold('bark quoka')
  expect(total).toBe(12)
  expect(waits.length, waits.join('\n')).toBeLessThanOrEqual(6)
})
