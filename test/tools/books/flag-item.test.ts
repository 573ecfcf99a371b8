import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { doors, send } from '../../support/transports.ts'
import { makeBook, pagesOf } from '../../support/make-book.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { startTestServer, type Person, type TestServer } from '../../support/server.ts'

let server: TestServer
let person: Person

beforeAll(async () => {
  server = await startTestServer()
  person = await server.person()
})
afterAll(() => server.close())

describe.for(doors)('flag_item over %s', ([name, door]) => {
  test('puts books into the enrichment queue, smallest first; a repeat changes nothing', async () => {
    const owner = await server.person()
    const large = await makeBook(server, owner, { title: 'Large', content: pagesOf(9) })
    const small = await makeBook(server, owner, { title: 'Small', content: pagesOf(2) })
    for (const itemId of [large, small, large]) {
      const { body } = await door.call(server, owner, 'flag_item', { itemId })
      expect(body.item).toMatchObject({ id: itemId, needsEnrichment: true })
    }
    const { body } = await door.call(server, owner, 'list_items')
    expect(body.enrichmentQueue).toEqual([
      { id: small, title: 'Small', pageCount: 2 },
      { id: large, title: 'Large', pageCount: 9 },
    ])
  })

  test('only the owner may flag', async () => {
    const itemId = await makeBook(server, person)
    const answer = await door.call(server, await server.person(), 'flag_item', { itemId })
    expectRefusal(answer, name, { status: 404, code: 'NOT_FOUND', says: /Item not found/ })
    const builtIn = await makeBook(server, { id: 'system' })
    const refused = await door.call(server, person, 'flag_item', { itemId: builtIn })
    expectRefusal(refused, name, { status: 403, code: 'FORBIDDEN', says: /Only the owner may flag/ })
  })
})

test('flag_item over REST without an itemId has no code', async () => {
  for (const body of [{}, { itemId: '' }, { itemId: 5 }]) {
    const answer = await send(server, person.key, { method: 'POST', path: '/api/v1/items/flag', body })
    expectRefusal(answer, 'rest', { status: 400, says: /^itemId is required/ })
  }
})
