import { afterEach, describe, expect, test } from 'vitest'
import { rest, transports, type ToolResponse } from '../support/transports.ts'
import { makeBook } from '../support/make-book.ts'
import { readsUsed, chargeReads } from '../support/charge-reads.ts'
import { expectRefusal, type ExpectedRefusal } from '../support/expect-refusal.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

afterEach(() => {
  server.running.opened.services.now = () => new Date()
})

/** Sets the clock of the server. */
function setClock(instant: string): void {
  server.running.opened.services.now = () => new Date(instant)
}

async function reader(readsLeft: number): Promise<{ person: Person; id: string }> {
  const person = await server.createPerson({ plan: 'FREE' })
  const id = await makeBook(server, person, { content: '# A\ntext' })
  if (readsLeft < 500) await chargeReads(server, person, 500 - readsLeft)
  return { person, id }
}

const granted = (answers: ToolResponse[]) => answers.filter(({ ok }) => ok).length

describe.for(transports)('the monthly read limit over %s', ([name, transport]) => {
  const calls: [string, (person: Person, id: string) => Promise<ToolResponse>][] = [
    ['read_items', (person, id) => transport.call(server, person, 'read_items', { items: [{ id }] })],
    ['get_item_content', (person, id) => transport.call(server, person, 'get_item_content', { id })],
    ['get_table_of_contents', (person, id) => transport.call(server, person, 'get_table_of_contents', { ids: [id] })],
  ]

  test.for(calls)('%s: of 50 parallel calls with 10 reads left, 10 succeed', async ([, call]) => {
    const { person, id } = await reader(10)
    const answers = await Promise.all(Array.from({ length: 50 }, () => call(person, id)))
    expect(granted(answers)).toBe(10)
    expect(await readsUsed(server, person)).toBe(500)
  })

  test.for(calls)('%s: the refusal gives the reset date and the way to upgrade', async ([, call]) => {
    const { person, id } = await reader(0)
    setClock('2026-12-15T12:00:00.000Z')
    await chargeReads(server, person, 500)
    const answer = await call(person, id)
    const refusal: ExpectedRefusal = {
      status: 429,
      code: 'READ_LIMIT_EXCEEDED',
      message: /500 monthly reads.*2027-01-01/,
      fields: {
        tier: 'FREE',
        used: 500,
        limit: 500,
        upgradeUrl: `${server.baseUrl}/plans`,
        resetsAt: '2027-01-01T00:00:00.000Z',
      },
    }
    expectRefusal(answer, name, refusal)
    const seconds = String(16.5 * 24 * 60 * 60)
    if (name === 'rest') expect(answer.headers.get('retry-after')).toBe(seconds)
    else expect(answer.text).toMatch(/^UPGRADE REQUIRED/)
  })

  test('a call that would exceed the limit is refused as a whole, and charges nothing', async () => {
    const { person, id } = await reader(1)
    const second = await makeBook(server, person, { content: 'text' })
    const both = await transport.call(server, person, 'read_items', { items: [{ id }, { id: second }] })
    expect(both.body.code).toBe('READ_LIMIT_EXCEEDED')
    expect(await readsUsed(server, person)).toBe(499)
    expect((await transport.call(server, person, 'read_items', { items: [{ id }] })).ok).toBe(true)
  })

  test('a call that opens no book is free and works at the limit', async () => {
    const { person, id } = await reader(0)
    for (const input of [
      { items: [{ id: 'nope' }] },
      { items: [{ id, pages: 'x' }] },
      { items: [{ id, pages: '99' }] },
    ]) {
      expect((await transport.call(server, person, 'read_items', input)).ok).toBe(true)
    }
    expect((await transport.call(server, person, 'list_items')).ok).toBe(true)
    expect((await transport.call(server, person, 'whoami')).body.readLimitMessage).toMatch(/500 monthly reads/)
    expect((await transport.call(server, person, 'create_markdown_item', { title: 'T' })).ok).toBe(true)
  })

  test('the month ends at midnight UTC', async () => {
    const { person, id } = await reader(500)
    setClock('2027-01-31T23:59:59.999Z')
    await chargeReads(server, person, 500)
    const last = await transport.call(server, person, 'read_items', { items: [{ id }] })
    expect(last.body).toMatchObject({ code: 'READ_LIMIT_EXCEEDED', resetsAt: '2027-02-01T00:00:00.000Z' })
    if (name === 'rest') expect(last.headers.get('retry-after')).toBe('1')
    setClock('2027-02-01T00:00:00.000Z')
    expect((await transport.call(server, person, 'read_items', { items: [{ id }] })).ok).toBe(true)
    expect((await transport.call(server, person, 'whoami')).body.monthlyReadsUsed).toBe(1)
    setClock('2027-01-31T23:59:59.999Z')
    expect((await transport.call(server, person, 'whoami')).body.monthlyReadsUsed).toBe(500)
  })
})

test('an unlimited plan counts reads and never refuses a call', async () => {
  const person = await server.createPerson({ plan: 'PRO' })
  const id = await makeBook(server, person, { content: 'text' })
  await chargeReads(server, person, 100_000)
  expect((await rest.call(server, person, 'get_item_content', { id })).ok).toBe(true)
  expect(await readsUsed(server, person)).toBe(100_001)
})

test('a repeated charge with the same id is counted once, also at the limit', async () => {
  const { person } = await reader(3)
  const { readMeter: reads, now } = server.running.opened.services
  const charge = { id: 'lost-answer', count: 3, limit: 500, now: now() }
  expect(await reads.charge(person.id, charge)).toBe(true)
  expect(await reads.charge(person.id, charge)).toBe(true)
  expect(await reads.charge(person.id, { ...charge, id: 'other', count: 1 })).toBe(false)
  expect(await readsUsed(server, person)).toBe(500)
})

test('parallel first reads of a month are all counted', async () => {
  const person = await server.createPerson({ plan: 'FREE' })
  const { readMeter: reads, now } = server.running.opened.services
  const charges = Array.from({ length: 40 }, (_, index) => ({ id: `c${index}`, count: 20, limit: 500, now: now() }))
  const results = await Promise.all(charges.map((charge) => reads.charge(person.id, charge)))
  expect(results.filter(Boolean)).toHaveLength(25)
  expect(await readsUsed(server, person)).toBe(500)
})

test('control: a check before the charge would allow too many reads', async () => {
  const person = await server.createPerson({ plan: 'FREE' })
  await chargeReads(server, person, 490)
  const { readMeter: reads, now } = server.running.opened.services
  const naive = async (id: string): Promise<boolean> => {
    if ((await reads.used(person.id, now())) + 1 > 500) return false
    return reads.charge(person.id, { id, count: 1, limit: null, now: now() })
  }
  const results = await Promise.all(Array.from({ length: 50 }, (_, index) => naive(`n${index}`)))
  expect(results.filter(Boolean).length).toBeGreaterThan(10)
})
