import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTemporaryFolder } from '../support/extraction.ts'
import { runClientCommand } from '../support/run-client.ts'
import { runLecternProcess } from '../support/run-lectern.ts'
import { signedInPerson } from '../support/signed-in-person.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer()
let person: Person
let homeFolder = ''

beforeAll(async () => {
  person = await server.createPerson()
  homeFolder = await mkdtemp(join(tmpdir(), 'lectern-'))
})

afterAll(() => rm(homeFolder, { recursive: true, force: true }))

const profilesFile = () => join(homeFolder, '.config', 'lectern', 'profiles.json')
const run = (line: string, more: object = {}) => runClientCommand(line.split(' '), { homeFolder, ...more })

test('a browser delivers the key; a key with the wrong state is refused', async () => {
  const { browser, account } = await signedInPerson(server)
  const printed = Promise.withResolvers<URL>()
  const onRemark = (text: string) => {
    const address = /http\S+\/cli-auth\S+/.exec(text)?.[0]
    if (address) printed.resolve(new URL(address))
  }
  const login = run(`login --url ${server.baseUrl}/ --no-browser --json`, { onRemark })
  const page = await Promise.race([printed.promise, login.then(({ json }) => Promise.reject(new Error(json.error)))])
  expect(page.origin).toBe(server.baseUrl)
  const callback = `http://127.0.0.1:${page.searchParams.get('port')}/callback`
  const refused = await Promise.all([
    fetch(`${callback}?key=${person.key}&state=wrong`),
    fetch(`${callback}?key=${person.key}`),
    fetch(`${callback}?state=${page.searchParams.get('state')}`),
    fetch(callback.replace('/callback', '/')),
    fetch(`${callback}?key=${person.key}&state=${page.searchParams.get('state')}`, { method: 'POST' }),
  ])
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 400, 404, 404])
  const approved = await browser.submit(`${page.pathname}${page.search}`, '/cli-auth', {})
  expect(approved.status).toBe(303)
  const arrived = await fetch(approved.location as string)
  expect(arrived.status).toBe(200)
  expect(await arrived.text()).toContain('The key has arrived')
  expect(await login).toMatchObject({
    code: 0,
    json: { profile: 'default', url: server.baseUrl, email: account.email },
  })
  expect((await run('whoami --json')).json).toMatchObject({ email: account.email })
  await expect(fetch(callback)).rejects.toThrow('fetch failed')
})

test('only their owner can read the profiles, and no list shows a key', async () => {
  expect(await run(`login --url ${server.baseUrl} --key ${person.key} --profile work`)).toMatchObject({
    code: 0,
    stdout: '',
    stderr: `Signed in to ${server.baseUrl} as ${person.email}, profile work.\n`,
  })
  expect((await stat(profilesFile())).mode & 0o777).toBe(0o600)
  expect((await stat(join(profilesFile(), '..'))).mode & 0o777).toBe(0o700)
  expect((await run('profiles')).stdout).toBe(`default\t${server.baseUrl}\nwork\t${server.baseUrl}\n`)
  expect((await run('profiles --json')).stdout).not.toContain('lectern_')
})

test('--key - reads the key from stdin', async () => {
  const { code } = await run(`login --url ${server.baseUrl} --key - --profile piped`, { stdin: `${person.key}\n` })
  expect(code).toBe(0)
  expect((await run('whoami --json --profile piped')).json).toMatchObject({ email: person.email })
})

test('a key that the server refuses is not stored', async () => {
  const before = await readFile(profilesFile(), 'utf8')
  const refused = await run(`login --url ${server.baseUrl} --key lectern_wrong --profile wrong`)
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toMatch(/Nothing was stored\.\n$/)
  expect(await readFile(profilesFile(), 'utf8')).toBe(before)
})

test('options take precedence over variables, and variables over the profile', async () => {
  const other = await server.createPerson()
  const environment = { LECTERN_URL: server.baseUrl, LECTERN_KEY: other.key }
  expect((await run('whoami --json', { environment })).json).toMatchObject({ email: other.email })
  const named = await run(`whoami --json --key ${person.key}`, { environment })
  expect(named.json).toMatchObject({ email: person.email })
  expect((await run('whoami --json --profile work', { environment })).json).toMatchObject({ email: person.email })
})

test('the key of a profile is only sent to the server of that profile', async () => {
  const elsewhere = server.baseUrl.replace('127.0.0.1', 'localhost')
  expect(elsewhere).not.toBe(server.baseUrl)
  const answer = await run(`whoami --url ${elsewhere}`)
  expect(answer.code).toBe(1)
  expect(answer.stderr).toMatch(/No key was sent\. Sign in with lectern login/)
})

test('logout removes a profile', async () => {
  expect((await run('logout --profile piped')).code).toBe(0)
  expect((await run('whoami --profile piped')).stderr).toMatch(
    /there is no profile piped\. The profiles are: default, work\./,
  )
  expect((await run('logout --profile piped')).code).toBe(2)
})

test('profiles are stored below $XDG_CONFIG_HOME', async () => {
  const folder = await createTemporaryFolder()
  const environment = { XDG_CONFIG_HOME: folder }
  expect((await run(`login --url ${server.baseUrl} --key ${person.key}`, { environment })).code).toBe(0)
  expect(JSON.parse(await readFile(join(folder, 'lectern', 'profiles.json'), 'utf8'))).toEqual({
    default: { url: server.baseUrl, key: person.key },
  })
})

test('unreadable profiles are reported', async () => {
  const folder = await createTemporaryFolder()
  const environment = { XDG_CONFIG_HOME: folder }
  await run(`login --url ${server.baseUrl} --key ${person.key}`, { environment })
  await writeFile(join(folder, 'lectern', 'profiles.json'), '{')
  expect(await run('whoami', { environment })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/it is not JSON\.\n$/),
  })
})

test('the program reads profiles, prints bodies and exits with the status of a refusal', async () => {
  const environment = { HOME: homeFolder }
  const who = await runLecternProcess(['whoami', '--json', '--profile', 'work'], environment)
  expect(who).toMatchObject({ code: 0, stderr: '', json: { email: person.email } })
  const made = await runLecternProcess(
    ['--profile', 'work', 'items', 'create-markdown', 'Soap', '--content', '# Soap', '--json'],
    environment,
  )
  expect(made).toMatchObject({ code: 0, json: { title: 'Soap' } })
  const read = await runLecternProcess(['read', made.json.id, '1', '--profile', 'work'], environment)
  expect(read).toMatchObject({ code: 0, stdout: '# Soap\n', stderr: '' })
  const lost = await runLecternProcess(['items', 'get-content', 'none', '--profile', 'work'], environment)
  expect(lost).toMatchObject({ code: 1, stdout: '', stderr: 'Item not found\n' })
  const refused = await runLecternProcess(['items', 'get-content', 'none', '--json', '--profile', 'work'], environment)
  expect(refused).toMatchObject({ code: 1, stderr: '', json: { error: 'Item not found' } })
  const wrong = await runLecternProcess(['shelevs', 'list'], environment)
  expect(wrong).toMatchObject({ code: 2, stdout: '' })
})
