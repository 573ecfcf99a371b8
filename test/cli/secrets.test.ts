import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withUserPassword } from '../support/encrypted-pdf.ts'
import { createTemporaryFolder } from '../support/extraction.ts'
import { runInTerminal, scriptNeed } from '../support/pseudo-terminal.ts'
import { runClientCommand } from '../support/run-client.ts'
import { describeWith } from '../support/system-needs.ts'
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

const lectern = [process.execPath, fileURLToPath(new URL('../../bin/lectern.cjs', import.meta.url))]
const profiles = async () => JSON.parse(await readFile(join(homeFolder, '.config/lectern/profiles.json'), 'utf8'))

test('a key and a password cannot both come from the same pipe', async () => {
  const folder = await createTemporaryFolder()
  await writeFile(join(folder, 'soap.md'), '# Soap\n')
  const run = await runClientCommand(['upload', 'soap.md', '--url', server.baseUrl, '--key', '-', '--password', '-'], {
    folder,
    stdin: `${person.key}\nsecret\n`,
  })
  expect(run.code).toBe(2)
  expect(run.stderr).toMatch(/^--key and --password: stdin can give only one of them\n/)
})

describeWith(scriptNeed)('on a terminal', () => {
  const run = (args: readonly string[], answers: [string, string][]) =>
    runInTerminal([...lectern, ...args], { environment: { HOME: homeFolder }, answers })

  test('output for other programs is shown', async () => {
    const { code, shown } = await runInTerminal(['sh', '-c', 'printf "Name: "; read name'], {
      answers: [['Name: ', 'Ann\n']],
    })
    expect({ code, shown }).toEqual({ code: 0, shown: 'Name: Ann\n' })
  })

  test('lectern login --key - prompts for a key, does not echo it, and stores it', async () => {
    const prompt = `Paste an API key of ${server.baseUrl} (create one at ${server.baseUrl}/keys) (not shown): `
    const { code, shown } = await run(['login', '--url', server.baseUrl, '--key', '-'], [[prompt, `${person.key}\r`]])
    expect({ code, shown }).toEqual({
      code: 0,
      shown: `${prompt}\nSigned in to ${server.baseUrl} as ${person.email}, profile default.\n`,
    })
    expect(await profiles()).toEqual({ default: { url: server.baseUrl, key: person.key } })
  })

  test('typing errors can be corrected', async () => {
    const typed = `wrong\u0015${person.key}x\u007F\r`
    const { code, shown } = await run(['whoami', '--url', server.baseUrl, '--key', '-'], [['API key: ', typed]])
    expect(code).toBe(0)
    expect(shown).toMatch(/^API key: \n/)
    expect(shown).toContain(person.email)
    expect(shown).not.toContain(person.key)
  })

  test.for([
    ['Ctrl-C', '\u0003', 130, /^API key: \n$/],
    ['Ctrl-D', '\u0004', 2, /^API key: \n--key: this is not an API key/],
  ] as const)('%s ends the prompt without a call', async ([, typed, status, expected]) => {
    const { code, shown } = await run(['whoami', '--url', 'http://127.0.0.1:1', '--key', '-'], [['API key: ', typed]])
    expect(code).toBe(status)
    expect(shown).toMatch(expected)
  })

  test('prompts for the password of files, without echo', async () => {
    await writeFile(join(homeFolder, 'sealed.pdf'), withUserPassword)
    const prompt = 'Password for the files (not shown): '
    const { code, shown } = await run(
      ['upload', join(homeFolder, 'sealed.pdf'), '--password', '-'],
      [[prompt, 'user\r']],
    )
    expect(shown.startsWith(`${prompt}\n`)).toBe(true)
    expect(shown).not.toContain('user')
    expect(code).toBe(0)
  })
})
