import {
  Client as CurrentClient,
  StreamableHTTPClientTransport as CurrentTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { describe, expect, test } from 'vitest'
import { tools } from '../../tools/index.ts'
import { makeBook } from '../support/make-book.ts'
import { plansEnvironment } from '../support/plans-environment.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web', ...(await plansEnvironment({ tier: 'NONE', itemLimit: 0 })) })

/** The interface shared by both SDK clients. */
interface Connected {
  listTools(): Promise<{ tools: { name: string }[] }>
  callTool(call: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>
  getInstructions(): string | undefined
  getServerVersion(): { name: string } | undefined
  close(): Promise<void>
}

const identity = { name: 'test', version: '1' }
const url = () => new URL(`${server.baseUrl}/api/v1/mcp`)
const signed = (key: string) => ({ requestInit: { headers: { Authorization: `Bearer ${key}` } } })

async function current(key: string, mode: VersionNegotiationMode): Promise<Connected> {
  const client = new CurrentClient(identity, { versionNegotiation: { mode } })
  await client.connect(new CurrentTransport(url(), signed(key)))
  return client
}

async function older(key: string): Promise<Connected> {
  const client = new OlderClient(identity)
  await client.connect(new OlderTransport(url(), signed(key)))
  return client
}

const clients: [string, (key: string) => Promise<Connected>][] = [
  ['the current client, which negotiates the protocol', (key) => current(key, 'auto')],
  ['the current client on 2026-07-28', (key) => current(key, { pin: '2026-07-28' })],
  ['the current client on the older protocol', (key) => current(key, 'legacy')],
  ['the older client', older],
]

describe.for(clients)('%s', ([, connect]) => {
  test('the client connects and lists every tool in order', async () => {
    const client = await connect((await server.createPerson()).key)
    const listed = await client.listTools()
    expect(listed.tools.map(({ name }) => name)).toEqual(
      tools.filter(({ mcp }) => mcp !== false).map(({ name }) => name),
    )
    expect(client.getInstructions()).toContain('library_summary')
    expect(client.getServerVersion()).toMatchObject({ name: 'lectern' })
    await client.close()
  })

  test('the client calls tools of every kind, and each result passes its validation against the output schema', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: '# A\n## B\n# C\n' })
    const client = await connect(person.key)
    await client.listTools()
    const calls: [string, Record<string, unknown>][] = [
      ['whoami', {}],
      ['library_summary', {}],
      ['list_items', {}],
      ['list_items', { limit: 1 }],
      ['get_table_of_contents', { ids: [id, 'nope'] }],
      ['read_items', { items: [{ id, pages: '1' }, { id: 'nope' }] }],
      ['get_item_content', { id }],
      ['create_markdown_item', { title: 'T', content: '# X' }],
      ['delete_items', { ids: [id] }],
    ]
    for (const [name, input] of calls) {
      const result = await client.callTool({ name, arguments: input })
      expect(result, name).toMatchObject({ content: [{ type: 'text' }], structuredContent: expect.any(Object) })
      expect(result).not.toHaveProperty('isError', true)
    }
    await client.close()
  })

  test('the client gets refusals as valid tool results', async () => {
    const person = await server.createPerson({ plan: 'NONE' })
    const client = await connect(person.key)
    await client.listTools()
    const refused: [string, Record<string, unknown>, RegExp][] = [
      ['create_markdown_item', { title: 'T' }, /^UPGRADE REQUIRED/],
      ['create_markdown_item', {}, /^INVALID_INPUT: title is required/],
      ['get_item_content', { id: 'nope' }, /^NOT_FOUND: Item not found/],
      ['read_items', { items: [] }, /^INVALID_INPUT: items/],
    ]
    for (const [name, input, text] of refused) {
      const result = await client.callTool({ name, arguments: input })
      expect(result).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: expect.stringMatching(text) }, {}],
      })
      expect(result).not.toHaveProperty('structuredContent')
    }
    await client.close()
  })

  test('the session continues after calls that the key may not make', async () => {
    const client = await connect((await server.createPerson({ scopes: ['library:read'] })).key)
    await client.listTools()
    for (const name of ['create_markdown_item', 'browse_marketplace', 'delete_items']) {
      const refused = await client.callTool({ name, arguments: {} })
      expect(refused).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: expect.stringMatching(/^insufficient_scope: .*\/keys\.$/) }, {}],
      })
      expect(await client.callTool({ name: 'whoami', arguments: {} })).toMatchObject({ structuredContent: {} })
    }
    await client.close()
  })

  test('the client reports an unknown tool and shows why a key is refused', async () => {
    const client = await connect((await server.createPerson()).key)
    await expect(client.callTool({ name: 'nope' })).rejects.toThrow(/Unknown tool: nope/)
    await client.close()
    // The probe of the current client has a different message.
    await expect(connect('garbage')).rejects.toThrow(/Invalid API key format|requires authorization \(HTTP 401\)/)
  })
})
