import { beforeAll, describe, expect, test } from 'vitest'
import { useMeasuredServer } from '../support/use-measured-server.ts'
import { send } from '../support/transports.ts'

const { server, attacker, victim } = useMeasuredServer()

const ten = 'of the in a to and is it was he'.split(' ')
const call = (method: string, path: string, body?: unknown) =>
  send(server, attacker.key, { method, path: `/api/v1${path}`, body })

/** A pseudo-random generator with the same numbers in each run. */
function createDice(): (sides: number) => number {
  let state = 12_345
  return (sides) => {
    state = (state * 48_271) % 2_147_483_647
    return Math.floor(state / 65_536) % sides
  }
}

const roll = createDice()

function makeText(bytes: number, word: () => string): string {
  const words: string[] = []
  for (let length = 0; length < bytes; length += (words.at(-1) as string).length + 1) words.push(word())
  return words.join(' ')
}

const frequentWord = () => ten[roll(10)] as string

/** Makes a query with as many different phrases of frequent words as are allowed. */
function hostileQuery(): string {
  let query = ''
  while (query.length < 480) query += `"${frequentWord()} ${frequentWord()} ${frequentWord()}"`
  return query
}

describe('books that consist only of frequent words', () => {
  beforeAll(async () => {
    for (let book = 0; book < 3; book++) {
      const content = `# One\n${makeText(450_000, frequentWord)}\n# Two\n${makeText(450_000, frequentWord)}\n`
      await call('POST', '/items/markdown', { title: `Book ${book}`, content })
    }
    await call('GET', '/items/search?query=first')
  })

  test('six searches for phrases in them do not block others, and end early', { timeout: 120_000 }, async () => {
    const outcome = await server.during(victim, () =>
      Promise.all(
        Array.from({ length: 6 }, () => call('GET', `/items/search?${new URLSearchParams({ query: hostileQuery() })}`)),
      ),
    )
    console.log(JSON.stringify({ ...outcome, result: outcome.result.map(({ status }) => status) }))
    for (const { status, body, headers } of outcome.result) {
      if (status === 429) expect([body.code, headers.get('retry-after')]).toEqual(['RATE_LIMITED', '2'])
      else expect(status).toBe(200)
    }
    expect(outcome.result.some(({ status }) => status === 200)).toBe(true)
    // A previous version blocked the event loop for seconds.
    expect(outcome.heldMs.max).toBeLessThan(200)
    expect(outcome.heldMs.p99).toBeLessThan(50)
  })

  test('more searches than the queue admits are refused at once', { timeout: 120_000 }, async () => {
    const searches = Array.from({ length: 14 }, () =>
      call('GET', `/items/search?${new URLSearchParams({ query: hostileQuery() })}`),
    )
    const statuses = (await Promise.all(searches)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(4)
    const other = await send(server, victim.key, { method: 'GET', path: '/api/v1/items/search?query=whale' })
    expect(other.status).toBe(200)
  })
})

/** Returns a text of about a megabyte in which every word begins with these letters. */
function makeSimilarWords(beginning: string): string {
  let next = 0
  return makeText(900_000, () => {
    next += 7919
    return beginning + Array.from((next % 9_999_991).toString(26), (digit) => letterOf(parseInt(digit, 26))).join('')
  })
}

const letterOf = (number: number) => String.fromCharCode(97 + (number % 26))

/** Makes a query of 500 characters from numbered parts. */
function fillQuery(part: (at: number) => string): string {
  let query = ''
  for (let at = 0; query.length + part(at).length <= 500; at++) query += part(at)
  return query
}

const inLetters = (at: number) => [...at.toString(2)].map((bit) => 'xy'[Number(bit)]).join(' ')

describe('searches in a page of a megabyte', () => {
  const pages = {
    'two words in turn': 'x y '.repeat(225_000),
    'different words with one beginning': makeSimilarWords('abc'),
    ...Object.fromEntries(['abcd', 'abce', 'abcf'].map((beginning) => [beginning, makeSimilarWords(beginning)])),
  }

  beforeAll(async () => {
    for (const [title, content] of Object.entries(pages)) {
      const { body } = await call('POST', '/items/markdown', { title, content: '# P\na\n' })
      const { status } = await call('PUT', `/items/${body.id}/pages/1`, { content })
      expect([title, status]).toEqual([title, 200])
    }
    await call('GET', '/items/search?query=first')
  }, 120_000)

  test.for([
    ['phrases', fillQuery((at) => `"x ${inLetters(at)} x" `)],
    ['excluded phrases', `y ${fillQuery((at) => `-"${inLetters(at)} x x" `).slice(0, 490)}`],
    ['words that few pages have', fillQuery((at) => `ab${letterOf(at)}c${letterOf(at * 5)}xq `)],
    ['beginnings of words', fillQuery((at) => `abc${letterOf(at)}${letterOf(at * 5)}* `)],
    ['mistakes of typing', fillQuery((at) => `abcz${letterOf(at)}${letterOf(at * 5)}qz `)],
  ] as const)('for %s do not block others', { timeout: 60_000 }, async ([, query]) => {
    const path = `/items/search?${new URLSearchParams({ query })}`
    const { heldMs, result } = await server.during(victim, () => call('GET', path))
    console.log(JSON.stringify(heldMs))
    expect(result.status).toBe(200)
    // A previous version blocked the event loop for up to half a second.
    expect(heldMs.max).toBeLessThan(200)
  })

  test('compare the words of a query with some words only', { timeout: 60_000 }, async () => {
    const query = fillQuery((at) => `abcz${letterOf(at)}${letterOf(at * 5)}qz `)
    const { body } = await call('GET', `/items/search?${new URLSearchParams({ query })}`)
    expect(body.incomplete).toMatch(/only some of the words that are similar.* Use fewer words/)
  })
})

describe('pages of a megabyte', () => {
  test('writing and indexing five of them does not block others', { timeout: 120_000 }, async () => {
    const count = 5
    const { body } = await call('POST', '/items/markdown', { title: 'Pages', content: '# P\na\n'.repeat(count) })
    const pages = Array.from(
      { length: count },
      () => `# P\n${makeText(900_000, () => `w${roll(20_000).toString(36)}`)}\n`,
    )
    const outcome = await server.during(victim, async () => {
      const written = await Promise.all(
        pages.map((content, at) => call('PUT', `/items/${body.id}/pages/${at + 1}`, { content })),
      )
      const found = await call('GET', '/items/search?query=w1a')
      return [...written, found].map(({ status }) => status)
    })
    console.log(JSON.stringify(outcome))
    expect(new Set(outcome.result)).toEqual(new Set([200]))
    // A previous version blocked the event loop for more than a second per unit of the index.
    expect(outcome.heldMs.max).toBeLessThan(400)
    expect(outcome.heldMs.p99).toBeLessThan(50)
  })
})
