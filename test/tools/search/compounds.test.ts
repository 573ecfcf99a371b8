import { beforeAll, describe, expect, test } from 'vitest'
import { makeBook } from '../../support/make-book.ts'
import type { Person } from '../../support/server.ts'
import { transports, type ToolResponse } from '../../support/transports.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

const german = [
  'Die Krankenversicherung zahlt die Behandlung, wenn der Arzt sie für nötig hält.',
  'Das Versicherungswesen ist alt, und die Kassen der Zünfte waren sein Anfang.',
  'Der Hafen liegt still, und die Boote liegen am Ufer, weil der Winter kam.',
  'Das Dampfschiff fuhr jeden Morgen zu den Inseln und kam am Abend zurück.',
]
const english = [
  'The lighthouse is old, and the keeper of it is older than most of the stones.',
  'The harbour is quiet, and the boats are on the shore, because the winter came.',
]

function contentOf(pages: readonly string[]): string {
  return pages.map((text) => `# ·\n\n${text}\n`).join('\n')
}

describe.for(transports)('over %s', ([, transport]) => {
  let person: Person

  const search = async (by: Person, query: string): Promise<ToolResponse['body']> => {
    const { ok, body, text } = await transport.call(server, by, 'search_items', { query })
    if (!ok) throw new Error(text)
    return body
  }
  const pagesOf = ({ items }: ToolResponse['body']) =>
    items.flatMap(({ hits }: { hits: { page: number }[] }) => hits.map(({ page }) => page)).toSorted()

  beforeAll(async () => {
    person = await server.createPerson()
    await makeBook(server, person, { title: 'Deutsch', content: contentOf(german) })
  })

  test.for([
    ['the last word of a query', 'Versicherung', [1, 2]],
    ['another word of a query', 'Versicherung Behandlung', [1, 2]],
    ['the end of a compound', 'Schiff Morgen', [4]],
  ] as const)('a word that exists only in compounds finds them: %s', async ([, query, pages]) => {
    const answer = await search(person, query)
    expect(pagesOf(answer)).toEqual(pages)
    expect(answer).not.toHaveProperty('didYouMean')
  })

  test('the passage contains the compound', async () => {
    const { items } = await search(person, 'Schiff')
    expect(items[0].hits[0].snippet).toContain('Dampfschiff')
  })

  test('a word that a book contains is not looked for in compounds', async () => {
    const other = await server.createPerson()
    const both = [...german, 'Ein Schiff braucht Wasser unter dem Kiel.']
    await makeBook(server, other, { title: 'Deutsch', content: contentOf(both) })
    expect(pagesOf(await search(other, 'Schiff'))).toEqual([5])
  })

  test('short words are not looked for in compounds', async () => {
    expect(pagesOf(await search(person, 'kran Hafen'))).toEqual([3])
  })

  test('languages that do not write compounds as one word have none', async () => {
    const other = await server.createPerson()
    await makeBook(server, other, { title: 'English', content: contentOf(english) })
    expect(pagesOf(await search(other, 'house quiet'))).toEqual([2])
  })

  test('books in such languages have none beside German ones, and a typing mistake in their words is corrected', async () => {
    const other = await server.createPerson()
    const mistaken = 'The keeper lights the lamp directly, and the harbour is lit by it indirectly.'
    await makeBook(server, other, { title: 'English', content: contentOf([...english, mistaken]) })
    await makeBook(server, other, { title: 'Deutsch', content: contentOf(german) })
    expect(pagesOf(await search(other, 'house quiet'))).toEqual([2])
    expect((await search(other, 'irectly harbour')).didYouMean).toBe('directly harbour')
  })
})
