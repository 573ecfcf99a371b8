import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { childEnvironment } from '../support/child-environment.ts'
import { lecternCommand, runLectern } from '../support/run-lectern.ts'
import { testDatabaseEnvironment, startTestServer, type TestServer } from '../support/server.ts'
import { createTeamClient } from '../support/team-client.ts'
import { webClient } from '../support/web-client.ts'
import { password, signedInPerson, signIn } from '../support/signed-in-person.ts'

let server: TestServer
let directory: string
let environment: Record<string, string>

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lectern-people-'))
  const store = { LECTERN_DATA_DIR: directory, ...testDatabaseEnvironment(directory) }
  server = await startTestServer({ LECTERN_ROLE: 'web', ...store })
  environment = { ...store, LECTERN_BASE_URL: server.baseUrl, LECTERN_LOG_LEVEL: 'silent' }
})
afterAll(async () => {
  await server.close()
  await rm(directory, { recursive: true, force: true })
})

const path = (url: string) => url.slice(server.baseUrl.length)

const timeout = 120_000

test('an account with a password signs in with it', { timeout }, async () => {
  const email = 'ready@lectern.example'
  const { json } = await runLectern(['user', 'create', '--email', email, '--password', password, '--json'], environment)
  expect(Object.keys(json as object)).toEqual(['id', 'email', 'plan'])
  expect((await signIn(webClient(server), email)).status).toBe(303)
})

test('user create reads the password from stdin, and shows it nowhere', { timeout }, async () => {
  const run = async (email: string, typed: string) => {
    const args = [...lecternCommand, 'user', 'create', '--email', email, '--password', '-']
    const child = spawn(process.execPath, args, {
      env: { ...childEnvironment, PATH: process.env['PATH'], ...environment },
    })
    child.stdin.end(`${typed}\n`)
    const shown = Promise.all([text(child.stdout), text(child.stderr)])
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, shown: (await shown).join('') }
  }
  const email = 'typed@lectern.example'
  const created = await run(email, password)
  expect(created.code).toBe(0)
  expect(created.shown).not.toContain(password)
  expect((await signIn(webClient(server), email)).status).toBe(303)
  const refused = { code: 1, shown: 'The password must have at least 8 characters.\n' }
  expect(await run('short@lectern.example', 'short')).toEqual(refused)
})

test('an account without a password gets a link to choose one', { timeout }, async () => {
  const email = 'guest@lectern.example'
  const { stdout, stderr } = await runLectern(['user', 'create', '--email', email], environment)
  expect(stdout).toMatch(/^[a-z0-9]{26}\n$/)
  const url = /^To choose a password: (\S+)$/m.exec(stderr)?.[1] as string
  const answer = await webClient(server).submit(path(url), '/sign-up', { name: '', password, again: password })
  expect(answer.location).toBe('/')
})

test('a reset link replaces the password', { timeout }, async () => {
  const { email } = await signedInPerson(server)
  const { stdout } = await runLectern(['user', 'reset', '--email', email], environment)
  const fresh = 'some other words'
  const answer = await webClient(server).submit(path(stdout.trim()), '/reset', { password: fresh, again: fresh })
  expect(answer.location).toBe('/sign-in?done=reset')
  expect((await signIn(webClient(server), email, fresh)).status).toBe(303)
})

test('user prove shows an account the invitations to its address', { timeout }, async () => {
  const { account, email, browser } = await signedInPerson(server, { emailProven: false })
  const desk = createTeamClient(server)
  const owner = await server.createPerson()
  await desk.call(owner, `POST /teams/${await desk.createTeam(owner, 'The waiting team')}/members`, { email })
  expect((await browser.get('/invites')).text).not.toContain('The waiting team')
  expect((await browser.get('/account')).text).toContain('lectern user prove --email')
  for (const _ of [1, 2]) {
    const { json } = await runLectern(['user', 'prove', '--email', email, '--json'], environment)
    expect(json).toEqual({ proven: [{ id: account.id, email }] })
  }
  expect((await browser.get('/invites')).text).toContain('The waiting team')
  const { notifications } = server.running.opened.services
  const filter = { unread: true, type: 'team_invite', limit: 10 } as const
  expect(await notifications.list(account.id, filter)).toHaveLength(1)
})

test('user email gives an account another address', { timeout }, async () => {
  const { account, email, browser } = await signedInPerson(server, { emailProven: false })
  const { email: taken } = await signedInPerson(server)
  const page = (await browser.get('/account/email')).text
  expect(page).toContain(`lectern user email --email ${email} --new-email ADDRESS`)
  const change = (from: string, to: string) =>
    runLectern(['user', 'email', '--email', from, '--new-email', to, '--json'], environment)
  expect(await change(email, taken)).toMatchObject({
    code: 1,
    json: { error: expect.stringContaining(`There is an account for ${taken} already.`) },
  })
  expect((await change(email, ' Moved@Lectern.Example')).json).toEqual({
    id: account.id,
    email: 'moved@lectern.example',
  })
  expect((await signIn(webClient(server), 'moved@lectern.example')).status).toBe(303)
  expect((await signIn(webClient(server), email)).status).toBe(401)
  expect((await server.running.opened.services.accounts.byId(account.id))?.emailProvenAt).toBeInstanceOf(Date)
})

test('user prove --all proves the address of every account of an earlier version', { timeout }, async () => {
  const [first, second] = [await signedInPerson(server), await signedInPerson(server, { emailProven: false })]
  const emails = [first.email, second.email]
  const { db } = server.running.opened.database
  await db.collection('accounts').updateOne({ email: first.email }, { $unset: { emailProvenAt: '' } })
  const { json } = await runLectern(['user', 'prove', '--all', '--json'], environment)
  expect((json as { proven: { email: string }[] }).proven.map(({ email }) => email).toSorted()).toEqual(
    emails.toSorted(),
  )
  const { accounts } = server.running.opened.services
  for (const email of emails) expect((await accounts.byEmail(email))?.emailProvenAt).toBeInstanceOf(Date)
  expect((await runLectern(['user', 'prove'], environment)).stderr).toContain(
    '--email: give the address of one account, or --all instead',
  )
  expect((await runLectern(['user', 'prove', '--all', '--json'], environment)).json).toEqual({ proven: [] })
})

test('a short password and an unknown account are refused', { timeout }, async () => {
  const short = await runLectern(['user', 'create', '--email', 'x@lectern.example', '--password', 'short'], environment)
  expect([short.code, short.stderr]).toEqual([
    2,
    expect.stringContaining('--password: The password must have at least 8'),
  ])
  const unknown = await runLectern(['user', 'reset', '--email', 'nobody@lectern.example', '--json'], environment)
  expect([unknown.code, unknown.json]).toMatchObject([1, { code: 'NOT_FOUND' }])
})

test('a suspended account is signed out at once', { timeout }, async () => {
  const { browser, email } = await signedInPerson(server)
  await runLectern(['user', 'suspend', '--email', email], environment)
  expect((await browser.get('/account')).status).toBe(303)
})

test('a deleted account is refused at once, and user resume restores it completely', { timeout }, async () => {
  const { browser, email, account } = await signedInPerson(server)
  const { json } = await runLectern(['user', 'delete', '--email', email, '--json'], environment)
  const week = Date.parse(json.eraseAt) - Date.parse(json.deletedAt)
  expect([json.id, json.email, week]).toEqual([account.id, email, 7 * 24 * 60 * 60 * 1000])
  expect((await browser.get('/account')).status).toBe(303)
  expect((await signIn(webClient(server), email)).status).toBe(403)
  const repeated = await runLectern(['user', 'delete', '--email', email], environment)
  expect(repeated.stdout.trim()).toBe(`${email} is closed and will be erased on ${json.eraseAt.slice(0, 10)}`)
  await runLectern(['user', 'resume', '--email', email], environment)
  expect((await signIn(webClient(server), email)).status).toBe(303)
})

test('an account whose erasure has started cannot be resumed', { timeout }, async () => {
  const { email, account } = await signedInPerson(server)
  const { services, database } = server.running.opened
  await runLectern(['user', 'delete', '--email', email], environment)
  await services.accountClosures.beginErasure(account.id, new Date(Date.now() + 60_000))
  const { code, json } = await runLectern(['user', 'resume', '--email', email, '--json'], environment)
  expect([code, json.code]).toEqual([1, 'CONFLICT'])
  await database.db.collection('accounts').updateOne({ email }, { $unset: { erasing: '' } })
})
