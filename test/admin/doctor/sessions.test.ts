import { expect, test } from 'vitest'
import { sessions } from '../../../src/admin/doctor/sessions.ts'
import { completeIdleSessions } from '../../../src/research/sessions.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { callOverRest } from '../../support/uploads.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
const examine = () => {
  const { services, database } = server.running.opened
  return sessions.run({ db: database.db, services, deep: false })
}

test('an open session without a slot is a finding', async () => {
  const person = await server.createPerson()
  const { sessionId } = (await callOverRest(server, person, 'start_access_session')).body
  expect(await examine()).toEqual([])
  const { sessionQuota: sessionPlaces } = server.running.opened.services
  await sessionPlaces.release(person.id, [sessionId])
  expect(await examine()).toEqual([`session ${sessionId} of account ${person.id} is open without a slot`])
  await callOverRest(server, person, 'complete_access_session', { sessionId })
  expect(await examine()).toEqual([])
})

test('a slot without an open session is a finding once the sweep is overdue', async () => {
  const person = await server.createPerson()
  const { sessionQuota: sessionPlaces } = server.running.opened.services
  const limits = { open: 20, hour: 60 }
  await sessionPlaces.acquire(person.id, { id: 'young', at: minutesAgo(60) }, limits)
  expect(await examine()).toEqual([])
  await sessionPlaces.acquire(person.id, { id: 'old', at: minutesAgo(180) }, limits)
  expect(await examine()).toEqual([`account ${person.id}: a slot is held for session old, which is not open`])
  await completeIdleSessions(server.running.opened.services, null)
  expect(await examine()).toEqual([])
})
