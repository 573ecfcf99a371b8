import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '../../src/app/log.ts'
import type { DirectRequest } from '../../src/mcp/direct-request.ts'
import type { Services } from '../../src/app/context.ts'
import { bindTools } from '../../src/core/tool.ts'
import { createMcpServer } from '../../src/mcp/server.ts'
import { tools } from '../../tools/index.ts'
import { send, sendMcp } from '../support/transports.ts'
import { acceptHeaders, legacyRevision, metaOf, modernHeaders } from '../support/mcp-messages.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let person: Person

beforeAll(async () => {
  person = await server.createPerson()
})

const newServer = () =>
  createMcpServer({
    tools: bindTools<Services>(tools, server.running.opened.services),
    name: 'lectern',
    version: '1',
    instructions: 'x',
    log: createLog('silent'),
  })

const call = async () => ({
  content: [{ type: 'text' as const, text: 'x "y" é' }],
  structuredContent: { a: [1, null] },
})
const refuse = async () => ({ content: [{ type: 'text' as const, text: 'NO' }], isError: true as const })

/** The bytes of `result` in a JSON or event stream response. */
async function resultBytes(response: Response): Promise<string> {
  const text = await response.text()
  const json = /^data: (.*)$/m.exec(text)?.[1] ?? text
  const result = JSON.stringify(JSON.parse(json).result)
  // Compared as sent, not as parsed.
  expect(json).toContain(`"result":${result}`)
  return result
}

describe.for(['modern', 'legacy'] as const)('the direct answer to %s clients', (era) => {
  const headers = (method: string, name?: string) => ({
    'Content-Type': 'application/json',
    ...acceptHeaders,
    ...(era === 'modern' ? modernHeaders(method, name) : { 'MCP-Protocol-Version': legacyRevision }),
  })

  test.for<[DirectRequest['method'], string | undefined, typeof call | typeof refuse]>([
    ['tools/list', undefined, call],
    ['tools/call', 'whoami', call],
    ['tools/call', 'whoami', refuse],
  ])('%s %s gets the same bytes that the SDK would send', async ([method, name, caller]) => {
    const mcp = newServer()
    const params = name === undefined ? {} : { name, arguments: {} }
    const body = { jsonrpc: '2.0', id: 1, method, params: era === 'modern' ? { ...params, _meta: metaOf() } : params }
    const request = new Request('http://x/api/v1/mcp', {
      method: 'POST',
      headers: headers(method, name),
      body: JSON.stringify(body),
    })
    const direct = await resultBytes((await mcp.answerDirectly({ id: 1, method, params, era }, caller)) as Response)
    expect(await resultBytes(await mcp.serve(request, body, caller))).toBe(direct)
  })
})

const older = () =>
  send(server, person.key, {
    method: 'POST',
    path: '/api/v1/mcp',
    body: { jsonrpc: '2.0', id: 7, method: 'tools/list' },
    headers: { Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-11-25' },
  })

describe('tools/list', () => {
  test('tools/list returns the same bytes at every call, for every account and after a restart', async () => {
    const one = await older()
    const readOnly = await server.createPerson({ scopes: ['library:read'] })
    const two = await send(server, readOnly.key, {
      method: 'POST',
      path: '/api/v1/mcp',
      body: { jsonrpc: '2.0', id: 7, method: 'tools/list', params: {} },
      headers: { Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-06-18' },
    })
    expect(two.text).toBe(one.text)
    const plain: DirectRequest = { id: 7, method: 'tools/list', params: {}, era: 'legacy' }
    const digests = await Promise.all(
      [newServer(), newServer()].map(async (mcp) => {
        const text = await ((await mcp.answerDirectly(plain, call)) as Response).text()
        return createHash('sha256').update(text).digest('hex')
      }),
    )
    expect(digests[0]).toBe(digests[1])
    expect(createHash('sha256').update(one.text).digest('hex')).toBe(digests[0])
  })

  test('tools/list tells modern clients its cache lifetime and scope', async () => {
    const { body } = await sendMcp(server, person.key, { method: 'tools/list' })
    expect(body.result).toMatchObject({ cacheScope: 'public', resultType: 'complete' })
    expect(body.result.ttlMs).toBeGreaterThan(0)
    expect(await older()).not.toHaveProperty('body.result.ttlMs')
  })

  test('tools/list has titles, hints and input schemas without $schema and redundant bounds', async () => {
    const { body, text } = await sendMcp(server, person.key, { method: 'tools/list' })
    for (const tool of body.result.tools) {
      expect(tool).toMatchObject({ title: expect.any(String), annotations: { title: tool.title } })
      expect(tool.inputSchema).toMatchObject({ type: 'object', properties: expect.any(Object) })
      // A tool whose result is a picture has no structured one.
      if (tool.name === 'get_figure') expect(tool).not.toHaveProperty('outputSchema')
      else expect(tool.outputSchema).toMatchObject({ type: 'object' })
    }
    expect(text).not.toContain('$schema')
    expect(text).not.toContain(String(Number.MAX_SAFE_INTEGER))
  })

  test('tools/list has idempotencyKey exactly for tools that honour it', async () => {
    const { body } = await sendMcp(server, person.key, { method: 'tools/list' })
    const withKey = body.result.tools.filter((tool: { inputSchema: { properties: object } }) =>
      Object.hasOwn(tool.inputSchema.properties, 'idempotencyKey'),
    )
    const idempotent = tools.filter((tool) => tool.idempotent && tool.mcp !== false)
    expect(withKey.map(({ name }: { name: string }) => name)).toEqual(idempotent.map(({ name }) => name))
  })
})
