import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import {
  Client as CurrentClient,
  StreamableHTTPClientTransport as CurrentTransport,
} from '@modelcontextprotocol/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { sendMcp } from '../support/transports.ts'
import { makeBook, markdownPages } from '../support/make-book.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let person: Person
let book: string

beforeAll(async () => {
  person = await server.createPerson()
  book = await makeBook(server, person, { title: 'The "Sea" ☃', content: markdownPages(3) })
})

type Args = Record<string, unknown>

/** Sends one request and returns its result. */
interface Asking {
  list(): Promise<Args>
  call(name: string, args: Args): Promise<Args>
}

const identity = { name: 'test', version: '1' }
const url = () => new URL(`${server.baseUrl}/api/v1/mcp`)
const signed = () => ({ requestInit: { headers: { Authorization: `Bearer ${person.key}` } } })

async function withSdk(client: any, transport: unknown, ask: (client: any) => Promise<Args>): Promise<Args> {
  await client.connect(transport)
  try {
    return await ask(client)
  } finally {
    await client.close()
  }
}

const older = (ask: (client: any) => Promise<Args>) =>
  withSdk(new OlderClient(identity), new OlderTransport(url(), signed()), ask)
const current = (ask: (client: any) => Promise<Args>) =>
  withSdk(new CurrentClient(identity), new CurrentTransport(url(), signed()), ask)

const inspectorHome = join(
  dirname(fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector-cli/package.json'))),
  'build',
)

/** Runs the Inspector's command line, which expects its package in the parent folder of its working directory. */
async function inspect(...args: string[]): Promise<Args> {
  const given = ['index.js', url().href, ...args, '--header', `Authorization: Bearer ${person.key}`]
  const { stdout } = await promisify(execFile)(process.execPath, given, { cwd: inspectorHome, maxBuffer: 1 << 24 })
  return JSON.parse(stdout)
}

const clients: [string, Asking][] = [
  [
    'the 1.x client',
    {
      list: () => older((client) => client.listTools()),
      call: (name, args) => older((client) => client.callTool({ name, arguments: args })),
    },
  ],
  [
    'the 2.x client',
    {
      list: () => current((client) => client.listTools()),
      call: (name, args) => current((client) => client.callTool({ name, arguments: args })),
    },
  ],
  [
    "the Inspector's command line",
    {
      list: () => inspect('--method', 'tools/list'),
      call: (name, args) =>
        inspect('--method', 'tools/call', '--tool-name', name, ...Object.entries(args).flatMap(pairOf)),
    },
  ],
]

function pairOf([name, value]: [string, unknown]): string[] {
  return ['--tool-arg', `${name}=${JSON.stringify(value)}`]
}

/** Plain JSON-RPC of the newest revision. Other clients are compared with it. */
async function bare(method: string, params: Args = {}): Promise<Args> {
  return (await sendMcp(server, person.key, { method, params })).body.result
}

/** Removes fields that only one revision has (cache lifetime, server identity) or that change with each call. */
function comparable(result: Args): unknown {
  const { _meta: _, resultType: _type, ttlMs: _ttl, cacheScope: _scope, ...rest } = result
  const text = JSON.stringify(rest)
    .replaceAll(/(requestId\\?":\\?")\w{26}/g, '$1')
    .replaceAll(/(monthlyReadsUsed\\?":)\d+/g, '$1')
    .replaceAll(/(lastReadAt\\?":\\?")[^"\\]*/g, '$1')
  return JSON.parse(text.replaceAll(/:(?=[,}])/g, ':0'))
}

describe.for(clients)('%s gets the same as bare JSON-RPC', ([, client]) => {
  test('tools/list returns the same, to the last field', async () => {
    const list = await client.list()
    expect(comparable(list)).toEqual(comparable(await bare('tools/list')))
    expect((list['tools'] as unknown[]).length).toBeGreaterThan(30)
  })

  test.for<[string, () => [string, Args]]>([
    ['an account', () => ['whoami', {}]],
    ['a list', () => ['list_items', { limit: 5 }]],
    ['pages', () => ['read_items', { items: [{ id: book, pages: '1-2' }, { id: 'nope' }] }]],
    ['a search', () => ['search_items', { query: 'text' }]],
    ['a refusal of the input', () => ['read_items', { items: [] }]],
    ['a refusal of a field', () => ['list_items', { limit: 0 }]],
    ['an object that does not exist', () => ['get_item_content', { id: 'nope' }]],
  ])('a call returns the same: %s', async ([, question]) => {
    const [name, args] = question()
    const answer = await client.call(name, args)
    expect(comparable(answer)).toEqual(comparable(await bare('tools/call', { name, arguments: args })))
    expect(answer['content']).not.toEqual([])
  })

  test('an unknown tool is an error that names it', async () => {
    await expect(client.call('nope', {})).rejects.toThrow(/Unknown tool: nope/)
    const { body } = await sendMcp(server, person.key, {
      method: 'tools/call',
      params: { name: 'nope', arguments: {} },
    })
    expect(body.error).toMatchObject({ code: -32_602, message: expect.stringMatching(/^Unknown tool: nope/) })
  })
})
