import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { tools } from '../../tools/index.ts'
import { playAll, type Cast } from '../docs/examples/calls.ts'
import { createNormalizer } from '../docs/examples/normalize.ts'
import { startExamplesServer } from '../docs/examples/record.ts'
import { createRecorder, type Caller, type Recorder } from '../docs/examples/recorder.ts'
import { codeUnder, operationsOf, readDocs, runShell } from '../support/docs-pages.ts'
import { createTemporaryFolder } from '../support/extraction.ts'
import type { TestServer } from '../support/server.ts'
import { signedInPerson } from '../support/signed-in-person.ts'
import { curlNeed, testWith } from '../support/system-needs.ts'
import { send, toRequest, type RawRequest } from '../support/transports.ts'

testWith(curlNeed)(
  'the command of every operation does what it says, with the ids of a real library',
  { timeout: 300_000 },
  async () => {
    const server = await startExamplesServer()
    const directory = await mkdtemp(join(tmpdir(), 'lectern-docs-'))
    try {
      const commands = await readCommands(server)
      const cast = await gather(server)
      const run = new Set<string>()
      await playAll(server, cast, commandPlayer({ server, commands, directory, run }))
      // Runs separately: no other command needs ids from its answer.
      const watching = await runShell(commands.get('list_jobs_events') ?? '', {
        cwd: directory,
        env: { LECTERN_KEY: cast.ada.key },
      })
      expect([watching.statuses, watching.code]).toEqual([[200], 0])
      const routes = tools.filter(({ rest }) => rest).map(({ name }) => name)
      expect([...run].sort()).toEqual(routes.sort())
      expect([...commands.keys()].filter((name) => !run.has(name)).sort()).toEqual([
        'list_jobs_events',
        // The guide to uploads contains its command.
        'put_upload_file',
      ])
    } finally {
      await rm(directory, { recursive: true, force: true })
      await server.close()
    }
  },
)

testWith(curlNeed)('the shell of the commands reads no file of its user', async () => {
  const home = await createTemporaryFolder()
  await writeFile(join(home, '.bashrc'), 'echo read')
  expect(await runShell('true', { cwd: home, env: { HOME: home } })).toMatchObject({ stdout: '', code: 0 })
})

/** Returns the commands of all pages, by operation. */
async function readCommands(server: TestServer): Promise<Map<string, string>> {
  const pages = await readDocs(server)
  const sections = pages.flatMap(({ text }) => [...operationsOf(text)])
  return new Map(
    sections.flatMap(([id, section]) => {
      const command = codeUnder(section, 'curl')
      return command === null ? [] : [[id, command] as const]
    }),
  )
}

interface Stage {
  server: TestServer
  commands: ReadonlyMap<string, string>
  directory: string
  /** The operations that were called. */
  run: Set<string>
}

/** Makes the first call of each operation with its command on the page, and later calls like any other program. */
function commandPlayer({ server, commands, directory, run }: Stage): Recorder {
  const recorder = createRecorder(server, createNormalizer({ baseUrl: server.baseUrl, startedAt: Date.now() }))
  return {
    ...recorder,
    async play(caller, name, input = {}) {
      const request = toRequest(name, input, { ...caller.headers })
      if (run.has(name)) return (await send(server, caller.key, request)).body
      run.add(name)
      const command = putIn(commands.get(name) ?? '', request, server.baseUrl)
      const [, file] = /--data-binary @(\S+)/.exec(command) ?? []
      if (file !== undefined) await writeFile(join(directory, file), String(request.body))
      const { statuses, stdout, stderr } = await runShell(command, { cwd: directory, env: environmentOf(caller) })
      expect({ name, command, stderr, statuses: statuses.map(String) }).toEqual({
        name,
        command,
        stderr,
        statuses: [expect.stringMatching(/^2\d\d$/)],
      })
      return /^[[{]/.test(stdout) ? JSON.parse(stdout) : stdout
    },
  }
}

function environmentOf({ key, headers = {} }: Caller): Record<string, string> {
  if (key !== null) return { LECTERN_KEY: key }
  return {
    LECTERN_SESSION: /lectern=([^;]+)/.exec(headers['Cookie'] ?? '')?.[1] ?? '',
    LECTERN_CSRF_TOKEN: headers['X-CSRF-Token'] ?? '',
  }
}

/** Returns a command with its values replaced by those of a request, which must have the same fields. */
function putIn(command: string, request: RawRequest, baseUrl: string): string {
  const { pathname, searchParams } = new URL(request.path, baseUrl)
  const [, method = 'GET'] = /^curl (?:-N )?(?:-G )?-X (\w+)/.exec(command) ?? []
  expect([command, method]).toEqual([command, request.method])
  const withPath = command.replace(/(?<=\s'?)https?:\/\/[^\s?']+/, (address) => {
    expect(new URL(address).pathname.split('/').length).toBe(pathname.split('/').length)
    return baseUrl + pathname
  })
  const withQuery = withPath
    .replace(/(?<=https?:\/\/[^\s']*)\?[^\s']*/, (query) => {
      expect([...new URLSearchParams(query).keys()].sort()).toEqual([...searchParams.keys()].sort())
      return `?${searchParams}`
    })
    .replaceAll(/(?:-d |--data-urlencode ')(\w+)=[^'\s]*(?:[^']*')?/g, (part, name: string) => {
      if (part.startsWith("-d '")) return part
      expect([command, [...searchParams.keys()]]).toEqual([command, expect.arrayContaining([name])])
      return `--data-urlencode '${name}=${searchParams.get(name) ?? ''}'`
    })
  return withQuery.replace(/-d '(\{[\s\S]*\})'/, (_, json: string) => {
    const example = JSON.parse(json.replaceAll("'\\''", "'")) as unknown
    expect([command, shapeOf(example)]).toEqual([command, shapeOf(request.body)])
    return `-d '${JSON.stringify(request.body).replaceAll("'", "'\\''")}'`
  })
}

/** Replaces each text in a value, because ids differ between runs. */
function shapeOf(value: unknown): unknown {
  if (typeof value === 'string') return 'text'
  if (Array.isArray(value)) return value.slice(0, 2).map(shapeOf)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, shapeOf(part)]),
  )
}

async function gather(server: TestServer): Promise<Cast> {
  const [ada, bob, eve] = [
    await server.createPerson({ plan: 'PRO' }),
    await server.createPerson(),
    await server.createPerson(),
  ]
  const [own, busy] = [await signIn(server), await signIn(server)]
  return { ada, bob, eve, browser: own, busy, owner: own.accountId }
}

/** Opens a browser in which a person is signed in. */
async function signIn(server: TestServer): Promise<Caller & { accountId: string }> {
  const { browser, account } = await signedInPerson(server)
  const csrf = /<meta name="csrf-token" content="([^"]+)"/.exec((await browser.get('/keys')).text)?.[1] ?? ''
  const cookies = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = { Cookie: cookies, 'X-CSRF-Token': csrf, Origin: server.baseUrl }
  return { key: null, headers, accountId: account.id }
}
