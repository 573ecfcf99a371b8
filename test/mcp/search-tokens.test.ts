import { beforeAll, expect, test } from 'vitest'
import { tokensOf } from '../../bench/measure-tokens.ts'
import { makeBook } from '../support/make-book.ts'
import type { Person } from '../support/server.ts'
import { mcp } from '../support/transports.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer()
let person: Person

const subjects = [
  'whale',
  'harbour',
  'captain',
  'lighthouse',
  'storm',
  'island',
  'anchor',
  'compass',
  'current',
  'reef',
]
/** Ends of sentences. A sentence then has 17 words on average, as in English prose. */
const said = [
  'was described by the travellers of that century as the most remarkable thing in all the northern seas',
  'could be seen from the cliffs on a clear morning',
  'was the subject of many disputes before the war, and then of none',
  'is mentioned in two letters only, written long after the voyage',
]

/** Generates pages of running text on different topics. */
function pagesOf(book: number): string {
  const sentence = (at: number) => {
    const [one, other] = [subjects[(book + at) % 10], subjects[(book * 3 + at * 7) % 10]]
    return at % 2 === 0
      ? `The ${one} of chapter ${at} ${said[(book + at) % 4]}.`
      : `The ${one} ${said[(book + at) % 4]}, and the ${other} ${said[(book * at + 1) % 4]}.`
  }
  return Array.from({ length: 4 }, (_, page) => {
    const text = Array.from({ length: 12 }, (_unused, at) => sentence(page * 12 + at)).join(' ')
    return `# The ${subjects[(book + page) % 10]} and its history\n\n${text}\n`
  }).join('\n')
}

beforeAll(async () => {
  person = await server.createPerson()
  for (let at = 0; at < 20; at++)
    await makeBook(server, person, {
      title: `A history of the ${subjects[at % 10]}, volume ${at}`,
      content: pagesOf(at),
    })
})

test('twenty hits cost at most 2,500 tokens', async () => {
  const { body, text } = await mcp.call(server, person, 'search_items', {
    query: 'storm near the lighthouse',
    limit: 20,
    detail: 'concise',
  })
  const hits = body.items.flatMap((item: { hits: unknown[] }) => item.hits)

  expect(hits).toHaveLength(20)
  const tokens = tokensOf(text)
  const passages = tokensOf(hits.map(({ snippet }: { snippet: string }) => snippet).join('\n'))
  process.stdout.write(`search_items: 20 hits are ${tokens} tokens, their passages ${passages}\n`)
  expect(tokens).toBeLessThanOrEqual(2500)
})
