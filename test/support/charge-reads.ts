import type { Person, TestServer } from './server.ts'

/** Uses up `count` reads of the account in the current month. */
export async function chargeReads(server: TestServer, person: Pick<Person, 'id'>, count: number): Promise<void> {
  const { readMeter: reads, now } = server.running.opened.services
  await reads.charge(person.id, { id: `test-${count}-${Math.random()}`, count, limit: null, now: now() })
  await reads.flush()
}

/** Number of reads charged to the account in the current month. */
export async function readsUsed(server: TestServer, person: Pick<Person, 'id'>): Promise<number> {
  const { readMeter: reads, now } = server.running.opened.services
  return reads.used(person.id, now())
}
