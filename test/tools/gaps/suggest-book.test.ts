import { describe, expect, test } from 'vitest'
import { mcp, send, type ToolResponse } from '../../support/transports.ts'
import { storedText } from '../../support/gaps.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

const suggest = (person: Person, input: Record<string, unknown>): Promise<ToolResponse> =>
  mcp.call(server, person, 'suggest_book', { reason: 'The user studies whales', ...input })

/** Returns the suggested books in the report of a window. */
async function requested(person: Person, query = '') {
  const { body } = await send(server, person.key, { method: 'GET', path: `/api/v1/reports/value${query}` })
  return body.requestedBooks as { title: string; author: string | null; reason: string; createdAt: string }[]
}

describe('a suggestion', () => {
  test('is stored once, in any spelling of title and author', async () => {
    const person = await server.createPerson()
    const first = await suggest(person, { title: 'Les Misérables', author: 'Victor Hugo' })
    expect(first.body).toEqual({ ok: true, alreadySuggested: false })
    const again = { title: ' les  miserables ', author: 'VICTOR HUGO', reason: 'another one' }
    expect((await suggest(person, again)).body).toEqual({ ok: true, alreadySuggested: true })
    expect((await suggest(person, { title: 'Les Misérables' })).body).toEqual({ ok: true, alreadySuggested: false })
    expect(await requested(person)).toMatchObject([
      { title: 'Les Misérables', author: null },
      { title: 'Les Misérables', author: 'Victor Hugo', reason: 'The user studies whales' },
    ])
  })

  test('in parallel is stored once', async () => {
    const person = await server.createPerson()
    const answers = await Promise.all(Array.from({ length: 10 }, () => suggest(person, { title: 'Moby Dick' })))
    expect(answers.filter(({ body }) => body.alreadySuggested === false)).toHaveLength(1)
    expect(await requested(person)).toHaveLength(1)
  })

  test('is refused beyond 100 a day, and the account of another person is not', async () => {
    const person = await server.createPerson()
    const { attemptLimiter } = server.running.opened.services
    await Promise.all(Array.from({ length: 99 }, () => attemptLimiter.consume('suggest', person.id)))
    expect((await suggest(person, { title: 'The hundredth' })).ok).toBe(true)
    const refused = await suggest(person, { title: 'One more' })
    const message = /You have suggested 100 books within a day\. Try again in 24 hours\.$/
    expect([refused.ok, refused.body.code, refused.body.error]).toEqual([
      false,
      'RATE_LIMITED',
      expect.stringMatching(message),
    ])
    expect(await requested(person)).toMatchObject([{ title: 'The hundredth' }])
    expect((await suggest(await server.createPerson(), { title: 'One more' })).ok).toBe(true)
  })

  test('is separate for each account', async () => {
    const [one, two] = [await server.createPerson(), await server.createPerson()]
    await suggest(one, { title: 'Moby Dick' })
    expect((await suggest(two, { title: 'Moby Dick' })).body.alreadySuggested).toBe(false)
    expect(await requested(two)).toHaveLength(1)
    expect(await requested(await server.createPerson())).toEqual([])
  })

  test('appears in the report of the window in which it was made, latest first', async () => {
    const person = await server.createPerson()
    const { services } = server.running.opened
    for (const day of ['2026-03-01', '2026-03-02', '2026-03-03']) {
      services.now = () => new Date(`${day}T12:00:00Z`)
      await suggest(person, { title: day }).finally(() => {
        services.now = () => new Date()
      })
    }
    const titles = async (query: string) => (await requested(person, query)).map(({ title }) => title)
    expect(await titles('?from=2026-03-01&to=2026-03-02')).toEqual(['2026-03-02', '2026-03-01'])
    expect(await titles('?from=2026-03-03&to=2026-03-09')).toEqual(['2026-03-03'])
    expect(await titles('')).toEqual([])
    expect(await requested(person, '?from=2026-03-03&to=2026-03-03')).toEqual([
      { title: '2026-03-03', author: null, reason: 'The user studies whales', createdAt: '2026-03-03T12:00:00.000Z' },
    ])
  })

  test('is stored without personal data and secrets', async () => {
    const person = await server.createPerson()
    const secret = 'jane.suggests@example.com'
    await suggest(person, { title: `For ${secret}`, author: secret, reason: `Send it to ${secret}` })
    expect(await storedText(server)).not.toContain(secret)
    expect(await requested(person)).toMatchObject([
      { title: 'For [email]', author: '[email]', reason: 'Send it to [email]' },
    ])
  })

  test.for([
    ['no title', { title: undefined }, /title is required/],
    ['a blank title', { title: ' ' }, /title must not be blank/],
    ['a title of 501 characters', { title: 'x'.repeat(501) }, /title must be at most 500 characters long/],
    ['an author of 201 characters', { author: 'x'.repeat(201) }, /author must be at most 200 characters long/],
    ['no reason', { reason: undefined }, /reason is required/],
    ['a reason of 1,001 characters', { reason: 'x'.repeat(1001) }, /reason must be at most 1000 characters long/],
    ['a lone surrogate', { title: '\udc00' }, /title must be well-formed Unicode/],
    ['an unknown field', { isbn: '1' }, /isbn: unknown field/],
  ] as const)('with %s is refused', async ([, change, says]) => {
    const answer = await suggest(await server.createPerson(), { title: 'Moby Dick', ...change })
    expectRefusal(answer, 'mcp', { status: 400, code: 'INVALID_INPUT', message: says })
  })
})
