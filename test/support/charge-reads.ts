import type { Person, TestServer } from './server.ts'

/** Uses up `count` reads of the account's running month. */
export async function useReads(server: TestServer, person: Pick<Person, 'id'>, count: number): Promise<void> {
  const { reads, now } = server.running.open.services
  await reads.charge(person.id, { id: `test-${count}-${Math.random()}`, count, limit: null, now: now() })
  await reads.settled()
}

/** Reads charged to the account in its running month. */
export async function readsUsed(server: TestServer, person: Pick<Person, 'id'>): Promise<number> {
  const { reads, now } = server.running.open.services
  return reads.used(person.id, now())
}
