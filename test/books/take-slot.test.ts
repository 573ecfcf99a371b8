import { describe, expect, test } from 'vitest'
import { newBook } from '../../src/books/new-book.ts'
import { newId } from '../../src/core/ids.ts'
import { mcp, rest, type Transport } from '../support/transports.ts'
import { seedBooks } from '../support/seed-books.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { countOwnedBooks } from '../support/count-books.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

const attempts: [string, number, Transport][] = [
  ['rest', 40, rest],
  ['mcp', 20, mcp],
]

describe.for(attempts)('library slots over %s', ([, parallel, transport]) => {
  test(`${parallel} parallel creates with 5 slots left make 5 books`, async () => {
    const person = await server.createPerson({ plan: 'FREE' })
    await seedBooks(server, person, { count: 15 })
    const create = () => transport.call(server, person, 'create_markdown_item', { title: 'T', content: 'text' })
    const answers = await Promise.all(Array.from({ length: parallel }, create))
    expect(answers.filter(({ ok }) => ok)).toHaveLength(5)
    const refusals = answers.filter(({ ok }) => !ok)
    expect(new Set(refusals.map(({ body }) => body.code))).toEqual(new Set(['PLAN_LIMIT_EXCEEDED']))
    expect(await state(person)).toMatchObject({ slots: 20, pending: [], books: 20 })
  })

  test('after parallel creates and deletes the slots in use equal the number of books', async () => {
    const person = await server.createPerson({ plan: 'FREE' })
    const ids = await seedBooks(server, person, { count: 20 })
    const create = () => transport.call(server, person, 'create_markdown_item', { title: 'T' })
    const remove = (id: string) => transport.call(server, person, 'delete_items', { ids: [id] })
    await Promise.all([...ids.slice(0, 8).map(remove), ...Array.from({ length: 8 }, create)])
    const { slots, pending, books } = await state(person)
    expect(slots).toBe(books)
    expect(slots).toBeLessThanOrEqual(20)
    expect(pending).toEqual([])
  })
})

async function state({ id }: Person) {
  const { accounts, books } = server.running.opened.services
  const account = await accounts.byId(id)
  return { slots: account?.slots, pending: account?.pending, books: await countOwnedBooks(books, id) }
}

test('control: a count before the insert would allow too many books', async () => {
  const person = await server.createPerson()
  await seedBooks(server, person, { count: 15 })
  const { books } = server.running.opened.services
  const naive = async (): Promise<boolean> => {
    if ((await countOwnedBooks(books, person.id)) >= 20) return false
    const fixed = { sourceType: 'markdown', status: 'FAILED', healthReason: 'a test', createdAt: new Date() } as const
    return books.add(newBook({ id: newId(), ownerId: person.id, title: 'T', ...fixed }))
  }
  const results = await Promise.all(Array.from({ length: 40 }, naive))
  const made = results.filter(Boolean).length
  expect(made).toBeGreaterThan(5)
  const { db } = server.running.opened.database
  await db.collection<{ _id: string }>('accounts').updateOne({ _id: person.id }, { $inc: { slots: made } })
})
