import { expect, onTestFinished, test, vi } from 'vitest'
import { FileStoreError } from '../../src/files/store.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { send } from '../support/transports.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

test('a file that the file store does not take is refused before the store answers about its removal', async () => {
  const person = await server.createPerson()
  const { files, accounts } = server.running.opened.services
  const listing = Promise.withResolvers<void>()
  const receive = files.receive.bind(files)
  vi.spyOn(files, 'receive').mockImplementation(async (...given) => ({
    ...(await receive(...given)),
    store: () => Promise.reject(new FileStoreError('UNAVAILABLE', 'The bucket did not answer.')),
  }))
  vi.spyOn(files, 'list').mockImplementation(async function* () {
    await listing.promise
    yield* []
  })
  onTestFinished(() => void vi.restoreAllMocks())
  const answer = await send(server, person.key, {
    method: 'PUT',
    path: '/api/v1/upload/soap.md',
    body: 'Fat and lye.',
    headers: { 'Content-Type': 'text/markdown' },
  })
  expectRefusal(answer, 'rest', { status: 503, code: 'UNAVAILABLE', message: /Retry in a few seconds/ })
  expect(await accounts.byId(person.id)).toMatchObject({ slots: 1 })
  listing.resolve()
  await expect.poll(async () => (await accounts.byId(person.id))?.slots).toBe(0)
})
