import { beforeAll, describe, expect, test } from 'vitest'
import { makeBook } from '../support/make-book.ts'
import { publishBook, subscribe } from '../support/marketplace.ts'
import type { Person } from '../support/server.ts'
import { createTeamClient } from '../support/team-client.ts'
import { rest } from '../support/transports.ts'
import { useTestServer } from '../support/use-test-server.ts'

// Nothing but searches indexes books here.
const server = useTestServer({ LECTERN_ROLE: 'web' })

/** Makes a book of another account readable for a person; returns its id. */
const ways: [way: string, reach: (other: Person, person: Person) => Promise<string>][] = [
  [
    'subscription',
    async (other, person) => {
      const { itemId, listingId } = await publishBook(server, other)
      await subscribe(server, person, listingId)
      return itemId
    },
  ],
  [
    'team',
    async (other, person) => {
      const desk = createTeamClient(server)
      const team = await desk.createTeam(person, 'Readers')
      await desk.addMember(team, other)
      const itemId = await makeBook(server, other)
      await desk.shareItem(team, other, itemId)
      return itemId
    },
  ],
]

describe.for(ways)('a search in the books of another account, through a %s', ([, reach]) => {
  let [other, person]: Person[] = []
  let [readable, unreadable] = ['', '']
  const change = (id: string, title: string) =>
    server.running.opened.services.books.change(other!.id, id, { set: { title } })
  const isDue = async (id: string) => {
    const [book] = await server.running.opened.services.books.findOwned(other!.id, [id])
    return book?.indexDue !== ''
  }

  beforeAll(async () => {
    ;[other, person] = [await server.createPerson(), await server.createPerson()]
    readable = await reach(other, person)
    unreadable = await makeBook(server, other)
  })

  test('indexes only the books that it covers, so that it need not wait for the others', async () => {
    await change(readable, 'Whales')
    await change(unreadable, 'Whales')
    const { body } = await rest.call(server, person!, 'search_items', { query: 'whales' })
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual([readable])
    expect([await isDue(readable), await isDue(unreadable)]).toEqual([false, true])
  })
})
