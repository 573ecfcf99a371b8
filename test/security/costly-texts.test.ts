import { describe, expect, test } from 'vitest'
import { useMeasuredServer } from '../support/use-measured-server.ts'
import { send } from '../support/transports.ts'

const { server, attacker, victim } = useMeasuredServer()

const fill = (unit: string, length = 100_000) => unit.repeat(length / unit.length)

/** Lines in which a pattern could look for the rest of its match from every place up to the end. */
const lines: [name: string, line: string][] = [
  ['links with titles that do not end', fill('[a](b (c')],
  ['spaces in a heading', `## x${fill(' ')}y`],
  ['hashes in a heading', `## x${fill('#')}y`],
  ['spaces in a row of a table', `a|b${fill(' ')}c`],
  ['full stops', `${fill('.')}x`],
  ['comments that do not end', fill('<!--', 990_000)],
  ['pieces of code', fill('`a', 990_000)],
]

describe('a line as long as a page', () => {
  test.for(lines)('is indexed and found without blocking others: %s', { timeout: 120_000 }, async ([, line]) => {
    const content = line.length <= 200_000 ? `${line}\n\nwhales ${line}\n` : `${line} whales\n`
    const body = { title: 'Long', content }
    const { result, heldMs } = await server.during(victim, async () => {
      const created = await send(server, attacker.key, { method: 'POST', path: '/api/v1/items/markdown', body })
      const query = new URLSearchParams({ query: 'whales' })
      const found = await send(server, attacker.key, { method: 'GET', path: `/api/v1/items/search?${query}` })
      await send(server, attacker.key, { method: 'DELETE', path: '/api/v1/items', body: { ids: [created.body.id] } })
      return found.body
    })
    expect(result.items).toHaveLength(1)
    // Reading the line from each of its places took seconds, and minutes for a page of the largest size.
    expect(heldMs.max).toBeLessThan(300)
  })
})

describe('a text as long as a body, where a name is asked for,', () => {
  test.for([
    ['POST', '/teams', 'name'],
    ['POST', '/shelves', 'name'],
    ['POST', '/items/markdown', 'title'],
    ['POST', '/manuscripts', 'title'],
    ['PATCH', '/items/enrich', 'author'],
  ] as const)('is refused without blocking others: %s %s, %s', { timeout: 60_000 }, async ([method, path, field]) => {
    for (const unit of ['\u{e0041}', '\u0301', 'a\u200d']) {
      const body = { itemId: 'x', [field]: `x${fill(unit, unit === '\u0301' ? 500_000 : 400_000)}` }
      const request = { method, path: `/api/v1${path}`, body }
      const { result, heldMs } = await server.during(victim, () => send(server, attacker.key, request))
      expect(result.status).toBe(400)
      // Looking for invisible characters in all of it took up to two seconds.
      expect(heldMs.max).toBeLessThan(300)
    }
  })
})

test('page ranges as long as a body are refused without blocking others', { timeout: 60_000 }, async () => {
  const created = await send(server, attacker.key, {
    method: 'POST',
    path: '/api/v1/items/markdown',
    body: { title: 'A book', content: '# One\n\n# Two\n' },
  })
  const { id } = created.body
  const pages = '1,'.repeat(480_000)
  for (const body of [{ ids: [id], pages }, { items: [{ id, pages }] }]) {
    const request = { method: 'POST', path: '/api/v1/items/batch', body }
    const { result, heldMs } = await server.during(victim, () => send(server, attacker.key, request))
    expect([result.status, result.body.error]).toEqual([400, 'pages must be at most 2000 characters long'])
    // They were parsed for each book: with 50 books, everybody waited for half a minute.
    expect(heldMs.max).toBeLessThan(300)
  }
})
