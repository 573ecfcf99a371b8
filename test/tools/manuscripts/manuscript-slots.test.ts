import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mcp, rest, send, type Transport } from '../../support/transports.ts'
import { makeBook } from '../../support/make-book.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import { startReplicas, type Replicas } from '../../support/replicas.ts'
import type { Person, TestServer } from '../../support/server.ts'
import { countOwnedBooks } from '../../support/count-books.ts'

let replicas: Replicas
let server: TestServer

beforeAll(async () => {
  const plans = await plansEnvironment(
    { tier: 'FIVE', manuscriptSlots: 5, itemLimit: 30 },
    { tier: 'ONE', manuscriptSlots: 1 },
  )
  replicas = await startReplicas(plans)
  server = replicas.server
})
afterAll(() => replicas.close())

async function state({ id }: Person) {
  const { accounts, books, manuscripts } = server.running.opened.services
  const active = await manuscripts.list(id, 'ACTIVE')
  const account = await accounts.byId(id)
  return {
    active: active.length,
    books: await countOwnedBooks(books, id),
    slots: account?.slots,
    pending: account?.pending,
  }
}

const attempts: [string, number, Transport][] = [
  ['rest', 40, rest],
  ['mcp', 20, mcp],
]

describe.for(attempts)('over %s', ([, parallel, transport]) => {
  const create = (person: Person, input = {}) =>
    transport.call(server, person, 'create_manuscript', { title: 'T', ...input })
  const setStatus = (person: Person, manuscriptId: string, status: string) =>
    transport.call(server, person, 'update_manuscript', { manuscriptId, status })

  test(`of ${parallel} parallel creates with 5 slots 5 succeed, and the others leave nothing behind`, async () => {
    const person = await server.createPerson({ plan: 'FIVE' })
    const answers = await Promise.all(Array.from({ length: parallel }, () => create(person)))
    expect(answers.filter(({ ok }) => ok)).toHaveLength(5)
    const codes = new Set(answers.filter(({ ok }) => !ok).map(({ body }) => body.code as string))
    codes.delete('PLAN_LIMIT_EXCEEDED')
    expect(codes).toEqual(new Set(['MANUSCRIPT_LIMIT_EXCEEDED']))
    expect(await state(person)).toEqual({ active: 5, books: 5, slots: 5, pending: [] })
  })

  test('of parallel creates for one book one succeeds', async () => {
    const person = await server.createPerson({ plan: 'FIVE' })
    const itemId = await makeBook(server, person)
    const answers = await Promise.all(Array.from({ length: 12 }, () => create(person, { itemId })))
    const made = answers.filter(({ ok }) => ok)
    expect(made).toHaveLength(1)
    for (const { ok, body } of answers) {
      // A call may be refused because all slots are taken for a moment.
      if (ok || body.code === 'MANUSCRIPT_LIMIT_EXCEEDED') continue
      expect(body).toMatchObject({
        code: 'MANUSCRIPT_ITEM_CONFLICT',
        existingManuscriptId: made[0]?.body.manuscript.id,
      })
    }
    expect(await state(person)).toMatchObject({ active: 1, books: 1 })
    for (let i = 0; i < 4; i++) expect((await create(person)).ok).toBe(true)
  })

  test('as many of the paused manuscripts become active in parallel as there are slots', async () => {
    const person = await server.createPerson({ plan: 'FIVE' })
    const ids: string[] = []
    for (let i = 0; i < 3; i++) {
      const { body } = await create(person)
      ids.push(body.manuscript.id)
      await setStatus(person, body.manuscript.id, 'PAUSED')
    }
    await server.running.opened.services.accounts.change(person.id, { tier: 'ONE' })
    const answers = await Promise.all(ids.map((id) => setStatus(person, id, 'ACTIVE')))
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
    expect(await state(person)).toMatchObject({ active: 1 })
  })

  test('parallel pausing and resuming leaves a manuscript one slot or none', async () => {
    const person = await server.createPerson({ plan: 'FIVE' })
    const { id } = (await create(person)).body.manuscript
    const statuses = ['PAUSED', 'ACTIVE', 'ARCHIVED', 'ACTIVE']
    await Promise.all(Array.from({ length: 12 }, (_, i) => setStatus(person, id, statuses[i % 4] as string)))
    expect((await setStatus(person, id, 'ACTIVE')).ok).toBe(true)
    for (let i = 0; i < 4; i++) expect((await create(person)).ok).toBe(true)
    expect((await create(person)).body.code).toBe('MANUSCRIPT_LIMIT_EXCEEDED')
  })
})

const post = (i: number, { key }: Person, body: Record<string, unknown>) =>
  send({ baseUrl: replicas.baseUrls[i % 2] as string }, key, { method: 'POST', path: '/api/v1/manuscripts', body })

describe('from two processes', () => {
  test('40 parallel creates with 5 slots create 5 manuscripts and 5 books', async () => {
    const person = await server.createPerson({ plan: 'FIVE' })
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => post(i, person, { title: `T ${i}` })))
    expect(answers.filter(({ ok }) => ok)).toHaveLength(5)
    expect(await state(person)).toEqual({ active: 5, books: 5, slots: 5, pending: [] })
  })

  test('20 parallel creates for one book create one manuscript', async () => {
    const person = await server.createPerson()
    const itemId = await makeBook(server, person)
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => post(i, person, { title: 'T', itemId })))
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
    const codes = answers.filter(({ ok }) => !ok).map(({ body }) => body.code)
    expect(new Set(codes)).toEqual(new Set(['MANUSCRIPT_ITEM_CONFLICT']))
  })
})
