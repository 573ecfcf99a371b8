import { expect, test } from 'vitest'
import { mcp, sendMcp } from '../../support/transports.ts'
import { makeBook } from '../../support/make-book.ts'
import { readsUsed } from '../../support/charge-reads.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { largestAnswer } from '../../support/collect-text.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

const filler = 'The committee met on Tuesday and decided nothing at all about the matter in hand. '

test('lists pages, best book first, in exactly the format of ChatGPT connectors', async () => {
  const person = await server.createPerson()
  const whales = await makeBook(server, person, {
    title: 'On narwhals',
    content: `# A\n\n${filler}\n# B\n\nA narwhal. ${filler}\n# C\n\nThe narwhal has a tusk. The narwhal swims.\n`,
  })
  const sea = await makeBook(server, person, { title: 'The Sea', content: `# A\n\n${filler} A narwhal. ${filler}` })
  const { body } = await mcp.call(server, person, 'search', { query: 'narwhal' })
  const page = (id: string, title: string, num: number) => ({
    id: `${id}:${num}`,
    title: `${title}, p. ${num}`,
    // The URL opens at the passage.
    url: expect.stringMatching(
      new RegExp(`^${server.baseUrl}/books/${id}/pages/${num}\\?v=1#quote=[^ ]*narwhal[^ ]*$`, 'i'),
    ),
  })
  expect(body).toEqual({
    results: [page(whales, 'On narwhals', 3), page(whales, 'On narwhals', 2), page(sea, 'The Sea', 1)],
  })
  expect(await readsUsed(server, person)).toBe(0)
})

test('pages of several books are sorted by their own scores', async () => {
  const person = await server.createPerson()
  const strong = `# A\n\nThe grey narwhal has a tusk. A grey narwhal.\n# B\n\n${filler.repeat(3)} A tusk.\n`
  const one = await makeBook(server, person, { title: 'One', content: strong })
  const other = await makeBook(server, person, { title: 'Other', content: `# A\n\n${filler} A narwhal with a tusk.\n` })
  const { body } = await mcp.call(server, person, 'search', { query: 'grey narwhal tusk' })
  expect(body.results.map(({ id }: { id: string }) => id)).toEqual([`${one}:1`, `${other}:1`, `${one}:2`])
})

test('a book that matches only by its title is listed itself', async () => {
  const person = await server.createPerson()
  const id = await makeBook(server, person, { title: 'Ornithology', content: filler })
  const { body } = await mcp.call(server, person, 'search', { query: 'ornithology' })
  expect(body).toEqual({ results: [{ id, title: 'Ornithology', url: `${server.baseUrl}/books/${id}?v=1` }] })
})

test('every id can be fetched, and its URL is that of the document, at the passage', async () => {
  const person = await server.createPerson()
  await makeBook(server, person, {
    title: 'The Heron',
    content: `# A\n\nA heron.\n# B\n\n${filler}\n# C\n\nTwo herons.`,
  })
  await makeBook(server, person, { title: 'Heron', content: filler })
  const { body } = await mcp.call(server, person, 'search', { query: 'heron' })
  expect(body.results.length).toBeGreaterThanOrEqual(3)
  for (const { id, title, url } of body.results) {
    const fetched = await mcp.call(server, person, 'fetch', { id })
    expect(fetched.body).toMatchObject({ id, title, url: url.replace(/#quote=.*/, '') })
  }
})

test('the answer is one text item whose JSON is the structured content', async () => {
  const person = await server.createPerson()
  await makeBook(server, person, { title: 'The Heron', content: 'A heron.' })
  const params = { name: 'search', arguments: { query: 'heron' } }
  const { body } = await sendMcp(server, person.key, { method: 'tools/call', params })
  const { content, structuredContent } = body.result
  expect(content).toHaveLength(1)
  expect(content[0].type).toBe('text')
  expect(JSON.parse(content[0].text)).toEqual(structuredContent)
  expect(structuredContent.results).toHaveLength(1)
})

test("a search without results gives an empty list, and other accounts' books are not found", async () => {
  await makeBook(server, await server.createPerson(), { title: 'The Heron', content: 'A heron.' })
  const { body } = await mcp.call(server, await server.createPerson(), 'search', { query: 'heron' })
  expect(body).toEqual({ results: [] })
})

test('returns at most three pages of each of ten books', async () => {
  const person = await server.createPerson()
  for (let i = 0; i < 12; i++)
    await makeBook(server, person, { title: '長'.repeat(200), content: '# x\n\nosprey\n'.repeat(5) })
  const answer = await mcp.call(server, person, 'search', { query: 'osprey' })
  expect(answer.body.results).toHaveLength(30)
  expect(largestAnswer([answer]).tokens).toBeLessThanOrEqual(20_000)
})

test.for<[string, object, RegExp]>([
  ['an empty query', { query: ' ' }, /query is required/],
  ['a query of 501 characters', { query: 'x'.repeat(501) }, /at most 500/],
  ['a limit', { query: 'x', limit: 5 }, /limit: unknown field/],
])('refuses %s', async ([, input, says]) => {
  const answer = await mcp.call(server, await server.createPerson(), 'search', input as Record<string, unknown>)
  expectRefusal(answer, 'mcp', { status: 400, code: 'INVALID_INPUT', message: says })
})
