import { beforeAll, describe, expect, test } from 'vitest'
import { makeBook } from '../../support/make-book.ts'
import type { Person } from '../../support/server.ts'
import { transports } from '../../support/transports.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer()
let person: Person

const english = 'The keeper of the lighthouse was counting the ships that came home before the night. '.repeat(5)
const german = 'Der Wärter des Leuchtturms zählte die Schiffe, die vor der Nacht nach Hause kamen. '.repeat(5)

beforeAll(async () => {
  person = await server.createPerson()
  await makeBook(server, person, { title: 'The lighthouse', content: english })
  await makeBook(server, person, { title: 'Ships', content: english })
  await makeBook(server, person, { title: 'Der Leuchtturm', content: german })
})

describe.for(transports)('search_items over %s', ([, transport]) => {
  const search = (reader: Person, query: string) => transport.call(server, reader, 'search_items', { query })

  test('names the languages of the books if no book has the words', async () => {
    const { body } = await search(person, 'Combien de navires sont rentrés ?')
    expect(body).toMatchObject({ total: 0, items: [] })
    expect(body.note).toBe(
      'No book has these words. The books are in English and German: use their language, or other words.',
    )
  })

  test('names no languages in a library without books', async () => {
    const { body } = await search(await server.createPerson(), 'lighthouse')
    expect(body).toEqual({ query: 'lighthouse', items: [], total: 0 })
  })

  test('lists both editions of a book, the one that was added last first', async () => {
    const reader = await server.createPerson()
    const content = 'A rebase rewrites the history of a branch.'
    const first = await makeBook(server, reader, { title: 'Handbook, first edition', content })
    await new Promise((resolve) => setTimeout(resolve, 5))
    const second = await makeBook(server, reader, { title: 'Handbook, second edition', content })
    for (const query of ['rebase history', 'handbook', 'how does a rebase change the history?']) {
      const { body } = await search(reader, query)
      expect(body.items.map(({ id }: { id: string }) => id)).toEqual([second, first])
    }
  })
})
