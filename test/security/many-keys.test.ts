import { expect, test } from 'vitest'
import { createIdempotencyStore } from '../../src/accounts/idempotency-store.ts'
import { contextOf } from '../support/context.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
const maxKeys = 5

/** Calls a create of an account, on a server that keeps five keys of a day; the answer is that of the first call. */
async function callerOf(person: Person) {
  const ctx = await contextOf(server, person)
  const { runOnce } = createIdempotencyStore(server.running.opened.database.db, 'x'.repeat(32), maxKeys)
  return (idempotencyKey: string, answer = idempotencyKey, now = ctx.now) => {
    const call = { ...ctx, now, idempotencyKey, requestId: ctx.newId() }
    return runOnce(call, { name: 'create_shelf', raw: {} }, async () => answer)
  }
}

const countRows = ({ id }: Person) => {
  const { db } = server.running.opened.database
  return db.collection('idempotency').countDocuments({ slot: { $gte: `${id}:`, $lt: `${id};` } })
}

test('an account that sends new keys all day keeps the answers of the last ones', async () => {
  const [person, other] = [await server.createPerson(), await server.createPerson()]
  const [call, callAsOther] = [await callerOf(person), await callerOf(other)]
  await callAsOther('other')
  for (let n = 1; n <= 3 * maxKeys; n++) await call(`key ${n}`)
  expect(await countRows(person)).toBe(maxKeys)
  expect(await call(`key ${3 * maxKeys}`, 'again')).toBe(`key ${3 * maxKeys}`)
  expect(await call('key 1', 'again')).toBe('again')
  expect(await callAsOther('other', 'again')).toBe('other')
})

test('keys of the day before do not end when another day begins', async () => {
  const person = await server.createPerson()
  const call = await callerOf(person)
  for (let n = 1; n <= maxKeys; n++) await call(`key ${n}`)
  const tomorrow = new Date(Date.now() + 24 * 60 * 60_000)
  for (let n = 1; n <= maxKeys; n++) await call(`new ${n}`, 'new', () => tomorrow)
  for (let n = 1; n <= 2; n++) expect(await call(`new ${n}`, 'again', () => tomorrow)).toBe('new')
  expect(await countRows(person)).toBe(2 * maxKeys)
})
