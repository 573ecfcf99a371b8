import { beforeAll, describe, expect, test } from 'vitest'
import { transports, send } from '../../support/transports.ts'
import { makeBook, markdownPages } from '../../support/make-book.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer()
let person: Person

beforeAll(async () => {
  person = await server.createPerson()
})

describe.for(transports)('flag_item over %s', ([name, transport]) => {
  test('puts books into the enrichment queue, smallest first; a repeat changes nothing', async () => {
    const owner = await server.createPerson()
    const large = await makeBook(server, owner, { title: 'Large', content: markdownPages(9) })
    const small = await makeBook(server, owner, { title: 'Small', content: markdownPages(2) })
    for (const itemId of [large, small, large]) {
      const { body } = await transport.call(server, owner, 'flag_item', { itemId })
      expect(body.item).toMatchObject({ id: itemId, needsEnrichment: true })
    }
    const { body } = await transport.call(server, owner, 'list_items')
    expect(body.enrichmentQueue).toEqual([
      { id: small, title: 'Small', pageCount: 2 },
      { id: large, title: 'Large', pageCount: 9 },
    ])
  })

  test('only the owner may flag', async () => {
    const itemId = await makeBook(server, person)
    const answer = await transport.call(server, await server.createPerson(), 'flag_item', { itemId })
    expectRefusal(answer, name, { status: 404, code: 'NOT_FOUND', message: /Item not found/ })
    const builtIn = await makeBook(server, { id: 'system' })
    const refused = await transport.call(server, person, 'flag_item', { itemId: builtIn })
    expectRefusal(refused, name, { status: 403, code: 'FORBIDDEN', message: /Only the owner may flag/ })
  })
})

test('flag_item over REST without an itemId has no code', async () => {
  for (const body of [{}, { itemId: '' }, { itemId: 5 }]) {
    const answer = await send(server, person.key, { method: 'POST', path: '/api/v1/items/flag', body })
    expectRefusal(answer, 'rest', { status: 400, message: /^itemId is required/ })
  }
})
