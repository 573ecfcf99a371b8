import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { giveReaderCode } from '../support/reader-code.ts'
import { reserveAddress, startRoundRobinProxy } from '../support/round-robin-proxy.ts'
import { followRedirect, openConsent, sendConsent } from '../support/oauth.ts'
import { sdkPrograms } from '../support/sdk-clients.ts'
import { testDatabaseEnvironment, freePort } from '../support/server.ts'
import { startProcess, skewedClockEnvironment, type ServerProcess } from '../support/server-process.ts'
import { webClient } from '../support/web-client.ts'
import { password, signIn } from '../support/signed-in-person.ts'

const email = 'ada@lectern.example'
const admin = { LECTERN_ADMIN_EMAIL: email, LECTERN_ADMIN_PASSWORD: password }

async function dataDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'lectern-oauth-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  await giveReaderCode(directory)
  return directory
}

/** Clients of both MCP SDKs for a server. Starting a server for each would take most of the time. */
const sdkClients = (baseUrl: string) =>
  sdkPrograms.map(([name, make]) => ({ name, sdk: make(`${baseUrl}/api/v1/mcp`) }))

test('clients of a server that is killed and restarted between any two steps connect, refresh and call tools', async () => {
  const directory = await dataDirectory()
  const { port, baseUrl } = await reserveAddress()
  const environment = {
    ...admin,
    ...testDatabaseEnvironment(directory),
    PORT: String(port),
    LECTERN_BASE_URL: baseUrl,
  }
  let server: ServerProcess = await startProcess(directory, environment)
  async function restart(): Promise<void> {
    server.child.kill('SIGKILL')
    await server.exited
    server = await startProcess(directory, environment)
  }
  const clients = sdkClients(baseUrl).map((client) => ({ ...client, browser: webClient({ baseUrl }) }))
  for (const { name, sdk } of clients) expect(await sdk.tools(), name).toBeNull()
  await restart()
  for (const { browser } of clients) await signIn(browser, email)
  await restart()
  const asked = []
  for (const { sdk, browser } of clients)
    asked.push({ sdk, browser, consent: await openConsent(browser, sdk.saved.authorizationUrl!) })
  await restart()
  const answered = []
  for (const { sdk, browser, consent } of asked)
    answered.push({ sdk, browser, answer: await sendConsent(browser, consent) })
  await restart()
  const redirected = []
  for (const { sdk, browser, answer } of answered)
    redirected.push({ sdk, params: (await followRedirect(browser, answer)).params })
  await restart()
  for (const { sdk, params } of redirected) await sdk.finishAuthorization(params)
  await restart()
  for (const { name, sdk } of clients) {
    expect(await sdk.tools(), name).toContain('read_items')
    sdk.saved.tokens.access_token = 'ck_oauth_ended'
  }
  await restart()
  for (const { name, sdk } of clients) {
    expect(await sdk.tools(), name).toContain('read_items')
    expect(sdk.saved.tokens.access_token, name).toMatch(/^ck_oauth_[\w-]{43}$/)
    await sdk.close()
  }
}, 120_000)

/** Two web replicas on one store behind one address; each request goes where `targets` says. */
async function replicasBehind(targets: (both: readonly [string, string]) => readonly string[], wrongByMs = 0) {
  const directory = await dataDirectory()
  const { port, baseUrl } = await reserveAddress()
  const shared = { ...testDatabaseEnvironment(directory), LECTERN_ROLE: 'web', LECTERN_BASE_URL: baseUrl }
  const [portA, portB] = [String(await freePort()), String(await freePort())]
  await startProcess(directory, { ...shared, ...admin, PORT: portA })
  await startProcess(directory, { ...shared, ...skewedClockEnvironment(wrongByMs), PORT: portB })
  const both = [`http://127.0.0.1:${portA}`, `http://127.0.0.1:${portB}`] as const
  const front = await startRoundRobinProxy(port, () => targets(both))
  onTestFinished(() => front.close())
  return front
}

test('clients of two replicas behind one address connect, refresh and call tools, with each request at the other replica', async () => {
  const front = await replicasBehind((both) => both)
  const browser = webClient(front)
  await signIn(browser, email)
  for (const { name, sdk } of sdkClients(front.baseUrl)) {
    const before = [...front.counts]
    expect(await sdk.tools(), name).toBeNull()
    const answered = await sendConsent(browser, await openConsent(browser, sdk.saved.authorizationUrl!))
    await sdk.finishAuthorization((await followRedirect(browser, answered)).params)
    for (let i = 0; i < 4; i++) expect(await sdk.tools(), name).toContain('read_items')
    expect(Math.min(...front.counts.map((count, at) => count - (before[at] ?? 0))), name).toBeGreaterThan(5)
    await sdk.close()
  }
}, 60_000)

const minutes = 60_000

test.for([
  ['is ten minutes fast accepts tokens of the other one', 10 * minutes, 0],
  ['is ten minutes slow issues tokens that both accept', -10 * minutes, 1],
] as const)('of two replicas one that %s', { timeout: 60_000 }, async ([, ms, giver]) => {
  let at: 0 | 1 = giver
  const front = await replicasBehind((both) => [both[at]], ms)
  const browser = webClient(front)
  await signIn(browser, email)
  const [, make] = sdkPrograms[0]
  const sdk = make(`${front.baseUrl}/api/v1/mcp`)
  expect(await sdk.tools()).toBeNull()
  const { params } = await followRedirect(
    browser,
    await sendConsent(browser, await openConsent(browser, sdk.saved.authorizationUrl!)),
  )
  at = giver === 0 ? 1 : 0
  await sdk.finishAuthorization(params)
  expect(await sdk.tools()).toContain('read_items')
  at = giver
  expect(await sdk.tools()).toContain('read_items')
  sdk.saved.tokens.access_token = 'ck_oauth_ended'
  expect(await sdk.tools()).toContain('read_items')
  expect(sdk.saved.tokens.access_token).toMatch(/^ck_oauth_[\w-]{43}$/)
  await sdk.close()
})
