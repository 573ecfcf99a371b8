import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabaseEnvironment, startTestServer, type TestServer } from '../support/server.ts'
import { hiddenFields, webClient } from '../support/web-client.ts'
import { signedInPerson, signIn } from '../support/signed-in-person.ts'

let directory: string
let first: TestServer
let second: TestServer

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lectern-replicas-'))
  const shared = { LECTERN_DATA_DIR: directory, LECTERN_ROLE: 'web', ...testDatabaseEnvironment(directory) }
  first = await startTestServer(shared)
  second = await startTestServer({ ...shared, LECTERN_BASE_URL: first.baseUrl })
})
afterAll(async () => {
  await second.running.stop()
  await first.close()
  await rm(directory, { recursive: true, force: true })
})

const behind = (replica: TestServer) => ({ baseUrl: `http://127.0.0.1:${replica.running.port}` })

test('a session of one process and its CSRF tokens are valid in another', async () => {
  const { browser, email } = await signedInPerson(first)
  const other = webClient(behind(second), new Map(browser.cookies))
  expect((await other.get('/account')).text).toContain(email)
  const hidden = hiddenFields((await browser.get('/account')).text, '/sign-out')
  const answer = await other.post('/sign-out', hidden, { Origin: first.baseUrl })
  expect(answer.status).toBe(303)
  expect((await browser.get('/account')).status).toBe(303)
})

test('wrong passwords at two processes are counted together', async () => {
  const { email } = await signedInPerson(first)
  const form = webClient(behind(first))
  const hidden = hiddenFields((await form.get('/sign-in')).text, '/sign-in')
  const attempts = [first, second].flatMap((replica) =>
    Array.from({ length: 7 }, () =>
      webClient(behind(replica), new Map(form.cookies)).post(
        '/sign-in',
        { ...hidden, email, password: 'wrong password' },
        { Origin: first.baseUrl },
      ),
    ),
  )
  const statuses = (await Promise.all(attempts)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 401)).toHaveLength(10)
  expect(statuses.filter((status) => status === 429)).toHaveLength(4)
  expect((await signIn(webClient(first), email)).status).toBe(429)
})
