import { expect, test } from 'vitest'
import { makeBook } from '../../support/make-book.ts'
import { mcp, rest, type Transport } from '../../support/transports.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer()

test.for<[form: string, transport: Transport, detail: object, found: { shown: number[]; alsoOn?: number[] }]>([
  ['over REST', rest, {}, { shown: [1, 3, 4] }],
  ['in detailed rows over MCP', mcp, { detail: 'detailed' }, { shown: [1, 3, 4] }],
  ['in concise rows over MCP', mcp, { detail: 'concise' }, { shown: [3], alsoOn: [1, 4] }],
])('%s search_items shows three pages of a book, or the best one and the numbers of the others', async (row) => {
  const [, transport, detail, expected] = row
  const person = await server.createPerson()
  const texts = ['A narwhal.', 'Nothing.', 'Narwhals, narwhals, narwhals.', 'One narwhal.']
  const content = texts.map((text) => `# Chapter\n\n${text} ${'The committee met on Tuesday. '.repeat(5)}\n`).join('\n')
  await makeBook(server, person, { title: 'Tusks', content })
  const { body } = await transport.call(server, person, 'search_items', { query: 'narwhal', ...detail })
  const [{ hits, alsoOn }] = body.items as [{ hits: { page: number }[]; alsoOn?: number[] }]
  expect({ shown: hits.map(({ page }) => page).toSorted(), alsoOn: alsoOn?.toSorted() }).toEqual(expected)
})
