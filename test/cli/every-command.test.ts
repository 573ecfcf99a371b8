import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { argumentsOf } from '../../src/cli/arguments-of.ts'
import { loadCommands } from '../../src/cli/command-table.ts'
import { hasCommand } from '../../src/cli/derive-commands.ts'
import { tools } from '../../tools/index.ts'
import { playAll, type Cast } from '../docs/examples/calls.ts'
import { startExamplesServer } from '../docs/examples/record.ts'
import { declarationOf, type Caller, type Recorder } from '../docs/examples/recorder.ts'
import { runClientCommand, type ClientRun } from '../support/run-client.ts'
import type { TestServer } from '../support/server.ts'
import { send, toRequest } from '../support/transports.ts'

/** A call of a command, the request that it sent, and the request that a plain client would have sent. */
interface Call {
  run: ClientRun
  sent: { method: string; path: string; body: unknown; key: string | null }
  expected: { method: string; path: string; body: unknown; key: string | null }
  answer: Buffer
}

const calls = new Map<string, Call[]>()
let server: TestServer

/** Calls every route through its command, in the order in which the examples of the reference are recorded. */
beforeAll(async () => {
  server = await startExamplesServer()
  const [ada, bob, eve] = [await server.createPerson(), await server.createPerson(), await server.createPerson()]
  const nobody = { key: null }
  const cast: Cast = { ada, bob, eve, browser: nobody, busy: { ...nobody, accountId: '' }, owner: '' }
  await playAll(server, cast, { play } as unknown as Recorder)
})

afterAll(() => server?.close())

async function play(caller: Caller, name: string, input: Record<string, unknown> = {}): Promise<any> {
  if (!hasCommand(declarationOf(name).rest)) return (await send(server, caller.key, toRequest(name, input, {}))).body
  const call = await callCommand(caller, name, input)
  calls.set(name, [...(calls.get(name) ?? []), call])
  if (call.run.code !== statusOf(call.answer)) throw new Error(`${name}: ${call.run.stdout}${call.run.stderr}`)
  return call.run.json
}

/** The exit status for the body of a response. */
function statusOf(answer: Buffer): 0 | 1 {
  return /"notFound":\["/.test(answer.toString('utf8')) ? 1 : 0
}

async function callCommand({ key, headers = {} }: Caller, name: string, input: Record<string, unknown>): Promise<Call> {
  const command = loadCommands().commands.findLast(({ tool }) => tool === name)
  if (!command) throw new Error(`${name} has no command`)
  const { fieldNames = {} } = declarationOf(name).rest.legacy ?? {}
  const named = Object.entries(fieldNames).map(([part, field]) => [part, input[field]])
  const values = { ...input, ...Object.fromEntries(named), ...headers }
  const args = [...command.name.split(' '), '--json', ...argumentsOf(command, values)]
  const through = watchFetch()
  try {
    const environment = { LECTERN_URL: server.baseUrl, ...(key === null ? {} : { LECTERN_KEY: key }) }
    const run = await runClientCommand(args, { environment })
    const { method, path, body } = toRequest(name, input, {})
    // An empty body is an empty object.
    const hasBody = Object.keys(body ?? {}).length > 0
    return {
      run,
      expected: { method, path: path.replace(/\?$/, ''), body: hasBody ? body : null, key },
      ...through.seen(),
    }
  } finally {
    through.stop()
  }
}

/** Records the requests and responses of the command, which uses the real `fetch`. */
function watchFetch() {
  const real = globalThis.fetch
  let [sent, answer]: [Call['sent'] | null, Promise<ArrayBuffer>] = [null, Promise.resolve(new ArrayBuffer(0))]
  let got = Buffer.alloc(0)
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init = {}) => {
    const { pathname, search } = new URL(String(url))
    const key = new Headers(init.headers).get('authorization')?.replace('Bearer ', '') ?? null
    const body = typeof init.body === 'string' ? JSON.parse(init.body) : null
    sent = { method: init.method ?? 'GET', path: `${pathname}${search}`, body, key }
    const response = await real(url, init)
    answer = response.clone().arrayBuffer()
    got = Buffer.from(await answer)
    return response
  })
  return {
    stop: () => spy.mockRestore(),
    seen() {
      if (sent === null) throw new Error('The command has sent nothing')
      return { sent, answer: got }
    },
  }
}

const routed = tools.filter(({ rest }) => rest && hasCommand(rest))

test('exactly the routes that a key can call have a command', () => {
  const named = new Set(loadCommands().commands.map(({ tool }) => tool))
  expect([...named].sort()).toEqual(routed.map(({ name }) => name).sort())
  expect(routed.length).toBeGreaterThan(80)
})

describe.for(routed.map(({ name }) => name))('the command of %s', (name) => {
  test('sends what a REST client sends', () => {
    const made = calls.get(name) ?? []
    expect(made.length).toBeGreaterThan(0)
    for (const { sent, expected } of made) expect(sent).toEqual(expected)
  })

  test('with --json prints exactly the body of the response', () => {
    for (const { run, answer } of calls.get(name) ?? []) {
      const isFile = declarationOf(name).rest.file !== undefined
      expect(run.stdout).toBe(isFile ? answer.toString('utf8') : `${answer.toString('utf8')}\n`)
      expect(run).toMatchObject({ code: statusOf(answer), stderr: '' })
    }
  })
})

test('a read through the command has the same body as the same read with a key', async () => {
  const person = await server.createPerson()
  const { body } = await send(server, person.key, toRequest('whoami', {}, {}))
  const { json } = await runClientCommand(['whoami', '--json', '--url', server.baseUrl, '--key', person.key])
  expect(json).toEqual(body)
})
