import { describe, expect, test } from 'vitest'
import { plansEnvironment } from '../../support/plans-environment.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import { seedBooks } from '../../support/seed-books.ts'
import type { Person } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { callOverRest } from '../../support/uploads.ts'

const server = useTestServer(await plansEnvironment({ tier: 'TWO', itemLimit: 2 }))

/** An account with four books on a plan for two. */
async function overLimit(): Promise<{ person: Person; ids: string[] }> {
  const person = await server.createPerson({ plan: 'TWO' })
  return { person, ids: await seedBooks(server, person, { count: 4 }) }
}

async function unlocked(person: Person): Promise<string[]> {
  const { body } = await callOverRest(server, person, 'list_items')
  return body.items.filter((item: { locked: boolean }) => !item.locked).map((item: { id: string }) => item.id)
}

describe('get_usable_books and pick_usable_books', () => {
  test('the oldest books are usable until a pick replaces them, and an empty pick restores them', async () => {
    const { person, ids } = await overLimit()
    const [first = '', second = '', third = '', fourth = ''] = ids
    expect((await callOverRest(server, person, 'get_usable_books')).body).toEqual({ ids: [first, second], limit: 2 })
    const picked = await callOverRest(server, person, 'pick_usable_books', { ids: [fourth, third, fourth] })
    expect(picked.body).toEqual({ ids: [fourth, third], limit: 2 })
    expect((await unlocked(person)).sort()).toEqual([third, fourth].sort())
    await callOverRest(server, person, 'pick_usable_books', { ids: [] })
    expect((await unlocked(person)).sort()).toEqual([first, second].sort())
  })

  test('a deleted book leaves the pick', async () => {
    const { person, ids } = await overLimit()
    const [, , third = '', fourth = ''] = ids
    await callOverRest(server, person, 'pick_usable_books', { ids: [third, fourth] })
    await callOverRest(server, person, 'delete_items', { ids: [third] })
    expect((await callOverRest(server, person, 'get_usable_books')).body.ids).toEqual([fourth])
  })

  test.for([
    [
      'more books than the limit',
      (ids: string[]) => ids.slice(0, 3),
      { status: 400, code: 'INVALID_INPUT', message: /keeps 2 books usable/ },
    ],
    ['an unknown book', () => ['unknown'], { status: 404, code: 'NOT_FOUND', message: /Item not found: unknown/ }],
    [
      'ids that are not strings',
      () => [1],
      { status: 400, code: 'INVALID_INPUT', message: /ids must be an array of strings/ },
    ],
  ] as const)('refuses %s', async ([, choose, refusal]) => {
    const { person, ids } = await overLimit()
    expectRefusal(await callOverRest(server, person, 'pick_usable_books', { ids: choose(ids) }), 'rest', refusal)
    expect(await unlocked(person)).toHaveLength(2)
  })

  test("another account's book cannot be picked", async () => {
    const [mine, theirs] = [await overLimit(), await overLimit()]
    const answer = await callOverRest(server, mine.person, 'pick_usable_books', { ids: [theirs.ids[0]] })
    expectRefusal(answer, 'rest', { status: 404, code: 'NOT_FOUND', message: /Item not found/ })
  })
})
