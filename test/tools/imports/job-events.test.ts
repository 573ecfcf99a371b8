import { expect, onTestFinished, test } from 'vitest'
import { startTestServer, type Person, type TestServer } from '../../support/server.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { send } from '../../support/transports.ts'
import { startFlakyStoreServer } from '../../support/flaky-store-server.ts'
import { addFile, callOverRest, waitForJobEnd } from '../../support/uploads.ts'

const server = useTestServer()

interface Event {
  event: string
  id: string
  data: any
}

/** Subscribes to the events of a person's imports. */
async function listen({ baseUrl }: Pick<TestServer, 'baseUrl'>, { key }: Pick<Person, 'key'>, since?: string) {
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const headers = { Authorization: `Bearer ${key}`, ...(since ? { 'Last-Event-ID': since } : {}) }
  const response = await fetch(`${baseUrl}/api/v1/jobs/events`, { headers, signal: leaving.signal })
  const events = response.ok && response.body ? eventsOf(response.body) : none()
  return {
    response,
    /** Returns the next event; undefined if the stream has ended. */
    next: async () => (await events.next()).value,
    /** Returns the events up to the first one that matches. */
    async until(wanted: (event: Event) => boolean): Promise<Event[]> {
      const seen: Event[] = []
      for (;;) {
        const event = (await events.next()).value
        if (!event) throw new Error(`The stream ended after ${JSON.stringify(seen)}`)
        seen.push(event)
        if (wanted(event)) return seen
      }
    },
    leave: () => leaving.abort(),
  }
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Event, undefined> {
  let rest = ''
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + piece).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const { event, id, data } = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/)))
      if (data) yield { event, id, data: JSON.parse(data) }
    }
  }
  return undefined
}

async function* none(): AsyncGenerator<Event, undefined> {}

const book = (n: number) => ({ filename: `book ${n}.md`, bytes: Buffer.from(`# One\n\nwhales ${n}\n`) })

test('sends each change of an import until it ends', async () => {
  const person = await server.createPerson()
  const { response, until } = await listen(server, person)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const { jobId } = await addFile(server, person, book(1))
  const events = await until(({ data }) => data.status === 'SUCCEEDED')
  expect(new Set(events.map(({ event, data }) => `${event} ${data.id}`))).toEqual(new Set([`job ${jobId}`]))
  const last = events.at(-1)
  expect(last?.data).toEqual((await callOverRest(server, person, 'get_job', { jobId })).body.job)
  expect(last?.id).toBe(last?.data.updatedAt)
})

test('starts with the current imports; after a reconnection with the changes since', async () => {
  const person = await server.createPerson()
  const made = [await addFile(server, person, book(1)), await addFile(server, person, book(2))]
  for (const { jobId } of made) await waitForJobEnd(server, person, jobId)
  const first = await listen(server, person)
  const [, second] = await first.until(({ data }) => data.id === made[1]?.jobId)
  first.leave()
  const { jobId } = await addFile(server, person, book(3))
  const again = await listen(server, person, second?.id)
  const events = await again.until(({ data }) => data.id === jobId && data.status === 'SUCCEEDED')
  // The last event is sent again, because another job may have changed at the same instant.
  expect(new Set(events.map(({ data }) => data.id))).toEqual(new Set([made[1]?.jobId, jobId]))
})

test('does not send the imports of others', async () => {
  const [owner, other] = [await server.createPerson(), await server.createPerson()]
  const stream = await listen(server, other)
  await waitForJobEnd(server, owner, (await addFile(server, owner, book(1))).jobId)
  const { jobId } = await addFile(server, other, book(2))
  expect((await stream.next())?.data.id).toBe(jobId)
})

test('requires the same key as the list', async () => {
  const path = '/api/v1/jobs/events'
  expect((await send(server, null, { method: 'GET', path })).status).toBe(401)
  expect((await send(server, 'lectern_nope', { method: 'GET', path })).status).toBe(401)
  const writer = await server.createPerson({ scopes: ['library:write'] })
  const { status, body } = await send(server, writer.key, { method: 'GET', path })
  expect({ status, code: body.code }).toEqual({ status: 403, code: 'INSUFFICIENT_SCOPE' })
})

test('ends when its key is revoked', async () => {
  const person = await server.createPerson()
  const stream = await listen(server, person)
  const { accounts } = server.running.opened.services
  const [key] = await accounts.listKeys(person.id)
  expect(await accounts.revokeKey(person.id, key?.id ?? '', new Date())).toBe(true)
  expect(await stream.next()).toBeUndefined()
})

test('allows ten open streams; closing one makes room', async () => {
  const person = await server.createPerson()
  const open = await Promise.all(Array.from({ length: 10 }, () => listen(server, person)))
  const eleventh = await listen(server, person)
  expect(eleventh.response.status).toBe(429)
  expect(Number(eleventh.response.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await eleventh.response.json()).toMatchObject({
    code: 'RATE_LIMITED',
    error: expect.stringMatching(/^At most 10 event streams/),
  })
  expect((await listen(server, await server.createPerson())).response.status).toBe(200)
  open[0]?.leave()
  await expect.poll(async () => (await listen(server, person)).response.status, { timeout: 10_000 }).toBe(200)
})

test('ends when the server stops, which does not wait for it', async () => {
  const other = await startTestServer()
  const stream = await listen(other, await other.createPerson())
  expect(stream.response.status).toBe(200)
  const ended = stream.next()
  await other.close()
  expect(await ended).toBeUndefined()
})

test('continues after the database was unreachable for a while', { timeout: 60_000 }, async () => {
  const lossy = await startFlakyStoreServer({ LECTERN_ROLE: 'web' }, { impatient: true })
  onTestFinished(() => lossy.close())
  const person = await lossy.server.createPerson()
  const stream = await listen(lossy.server, person)
  await lossy.proxy.setMode('refused')
  expect((await callOverRest(lossy.server, person, 'list_jobs')).status).toBe(503)
  await lossy.proxy.setMode('pass')
  await expect
    .poll(async () => (await callOverRest(lossy.server, person, 'list_jobs')).status, { timeout: 20_000 })
    .toBe(200)

  const { jobId } = await addFile(lossy.server, person, book(1))

  expect((await stream.next())?.data.id).toBe(jobId)
  stream.leave()
})
