import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { FileStoreError } from '../../src/files/store.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import type { Person } from '../support/server.ts'
import { send } from '../support/transports.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

/** Makes the file store refuse files, and list none before `listing` is resolved. */
function stallFiles() {
  const { files } = server.running.opened.services
  const listing = Promise.withResolvers<void>()
  const receive = files.receive.bind(files)
  vi.spyOn(files, 'receive').mockImplementation(async (...given) => ({
    ...(await receive(...given)),
    store: () => Promise.reject(new FileStoreError('UNAVAILABLE', 'The bucket did not answer.')),
  }))
  const list = vi.spyOn(files, 'list').mockImplementation(async function* () {
    await listing.promise
    yield* []
  })
  onTestFinished(() => void vi.restoreAllMocks())
  return { listing, list }
}

const upload = ({ key }: Person, headers: Record<string, string> = {}) =>
  send(server, key, {
    method: 'PUT',
    path: '/api/v1/upload/soap.md',
    body: 'Fat and lye.',
    headers: { 'Content-Type': 'text/markdown', ...headers },
  })
const slotsOf = async ({ id }: Person) => (await server.running.opened.services.accounts.byId(id))?.slots
const refused = { status: 503, code: 'UNAVAILABLE', message: /Retry in a few seconds/ } as const

test('a file that the file store does not take is refused before the store answers about its removal', async () => {
  const person = await server.createPerson()
  const { listing } = stallFiles()
  expectRefusal(await upload(person), 'rest', refused)
  expect(await slotsOf(person)).toBe(1)
  listing.resolve()
  await expect.poll(() => slotsOf(person)).toBe(0)
})

test('a call with a key is refused after the removal, because its repeat is for the same book', async () => {
  const person = await server.createPerson()
  const { listing, list } = stallFiles()
  const answer = upload(person, { 'Idempotency-Key': 'soap' })
  await vi.waitFor(() => expect(list).toHaveBeenCalled())
  expect(await Promise.race([answer, delay(200, 'waits')])).toBe('waits')
  listing.resolve()
  expectRefusal(await answer, 'rest', refused)
  expect(await slotsOf(person)).toBe(0)
})
