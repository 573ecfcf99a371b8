import { EventEmitter, once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { giveReaderCode } from '../support/reader-code.ts'
import { reserveAddress } from '../support/round-robin-proxy.ts'
import { answerConsent, callMcp } from '../support/oauth.ts'
import { sdkPrograms } from '../support/sdk-clients.ts'
import { testDatabaseEnvironment } from '../support/server.ts'
import { startProcess, type ServerProcess } from '../support/server-process.ts'
import { webClient } from '../support/web-client.ts'
import { password, signIn } from '../support/signed-in-person.ts'

const requests = 1000
const restarts = 12
const workers = 4
const email = 'ada@lectern.example'

interface Call {
  from: number
  to: number
  ok: boolean
}

test('of 1,000 requests to a repeatedly killed server, only those in flight fail, and nobody has to sign in again', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-restarts-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  await giveReaderCode(directory)
  const { port, baseUrl } = await reserveAddress()
  const admin = { LECTERN_ADMIN_EMAIL: email, LECTERN_ADMIN_PASSWORD: password }
  const environment = { ...admin, ...testDatabaseEnvironment(directory), PORT: String(port), LECTERN_BASE_URL: baseUrl }
  let server: ServerProcess = await startProcess(directory, environment)
  const [, [, make]] = sdkPrograms
  const program = make(`${baseUrl}/api/v1/mcp`)
  await program.tools()
  const browser = webClient({ baseUrl })
  await signIn(browser, email)
  await program.finishAuthorization((await answerConsent(browser, program.saved.authorizationUrl!)).params)
  const { access_token: token } = program.saved.tokens
  const { authorizationUrl: wanted } = program.saved

  const calls: Call[] = []
  const down: { from: number; to: number }[] = []
  let begun = 0
  const progress = new EventEmitter()
  async function until(condition: () => boolean): Promise<void> {
    while (!condition()) await once(progress, 'begun')
  }
  let serving = Promise.resolve()
  async function work(): Promise<void> {
    while (begun < requests) {
      begun += 1
      progress.emit('begun')
      await serving
      const from = performance.now()
      const ok = await callMcp({ baseUrl }, token, begun % 20 === 0 ? whoami : {}).then(
        ({ status, body }) => status === 200 && !body.error && !body.result.isError,
        () => false,
      )
      calls.push({ from, to: performance.now(), ok })
    }
  }
  async function killAndStart(): Promise<void> {
    const from = performance.now()
    server.child.kill('SIGKILL')
    await server.exited
    server = await startProcess(directory, environment)
    down.push({ from, to: performance.now() })
  }
  const all = Promise.all(Array.from({ length: workers }, work))
  for (let kill = 1; kill <= restarts; kill++) {
    const due = Math.floor((kill * requests) / (restarts + 1)) + Math.floor(Math.random() * 20)
    await until(() => begun >= due)
    serving = killAndStart()
    await serving
  }
  await all

  const failed = calls.filter(({ ok }) => !ok)
  const inFlight = ({ from, to }: Call) => down.some((gap) => from <= gap.to && to >= gap.from)
  expect(down).toHaveLength(restarts)
  expect(failed.filter((call) => !inFlight(call))).toEqual([])
  expect(failed.length).toBeLessThanOrEqual(restarts * workers)
  expect(calls.length).toBeGreaterThanOrEqual(requests)
  expect(await program.tools()).toContain('read_items')
  expect(program.saved.authorizationUrl).toBe(wanted)
  expect(program.saved.tokens.access_token).toBe(token)
  await program.close()
}, 120_000)

// Tool calls are limited to 100 a minute; lists are not limited.
const whoami = { method: 'tools/call', params: { name: 'whoami', arguments: {} } }
