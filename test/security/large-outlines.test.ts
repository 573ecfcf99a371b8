import { beforeAll, describe, expect, test } from 'vitest'
import { send, toRequest } from '../support/transports.ts'
import { acceptHeaders } from '../support/mcp-messages.ts'
import { useMeasuredServer } from '../support/use-measured-server.ts'

const { server, attacker, victim } = useMeasuredServer()
const ids: string[] = []

/** The largest outline that a call can store: 20 levels with long titles. */
const toc = Array.from({ length: 20_000 }, (_, at) => ({
  title: `${at} `.padEnd(350, 'x'),
  page: 1,
  level: 1 + (at % 20),
}))

beforeAll(async () => {
  for (let book = 0; book < 5; book++) {
    const created = await rest('create_markdown_item', { title: `Book ${book}`, content: '# One' })
    ids.push(created.body.id)
    expect((await rest('enrich_item', { itemId: created.body.id, toc })).status).toBe(200)
  }
}, 120_000)

const rest = (tool: string, input: Record<string, unknown>) => send(server, attacker.key, toRequest(tool, input, {}))
const outlinesOf = (body: any) =>
  body.items.map(({ toc: { length }, truncated = false }: any) => ({ length, truncated })) as {
    length: number
    truncated: boolean
  }[]

describe('tables of contents of 20,000 entries', () => {
  test('are complete over REST in an answer of their own', async () => {
    const { body } = await rest('get_table_of_contents', { ids: ids.slice(0, 1) })
    expect(outlinesOf(body)).toEqual([{ length: 20_000, truncated: false }])
    expect(body.items[0].toc.at(-1)).toEqual(toc.at(-1))
  })

  test('are shortened over REST where one answer would have several', async () => {
    const { result } = await server.during(victim, () => rest('get_table_of_contents', { ids }))
    const outlines = outlinesOf(result.body)
    expect(outlines.slice(1).every(({ truncated }) => truncated)).toBe(true)
    expect(outlines.every(({ length }) => length > 50)).toBe(true)
    // Five outlines had 79 MB, and fifty more than a string can have.
    expect(result.text.length).toBeLessThan(20_000_000)
  })

  test('do not block others while they are fitted into an answer over MCP', { timeout: 120_000 }, async () => {
    const params = { name: 'get_table_of_contents', arguments: { ids } }
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const { result, heldMs } = await server.during(victim, () =>
      send(server, attacker.key, { method: 'POST', path: '/api/v1/mcp', body, headers: acceptHeaders }),
    )
    expect(
      outlinesOf(result.body.result.structuredContent).every(({ length, truncated }) => length > 3 && truncated),
    ).toBe(true)
    // The cost of the whole outline was computed for each level that was dropped: 14 seconds for five books.
    expect(heldMs.max).toBeLessThan(500)
  })
})
