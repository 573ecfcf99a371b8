import { beforeAll, describe, expect, test } from 'vitest'
import { isWriteScope, scopes, type Scope } from '../../src/core/scopes.ts'
import { tools } from '../../tools/index.ts'
import { acceptHeaders, legacyRevision, metaOf, modernHeaders } from '../support/mcp-messages.ts'
import { registerProgram } from '../support/oauth.ts'
import { signedInPerson } from '../support/signed-in-person.ts'
import { send, sendMcp, type ToolResponse } from '../support/transports.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

const offered = tools.filter(({ mcp }) => mcp !== false)
const without = (scope: Scope) => scopes.filter((other) => other !== scope)

/** Posts a message as clients of this protocol revision do. */
const post = (key: string | null, body: unknown, headers: Record<string, string> = {}) =>
  send(server, key, { method: 'POST', path: '/api/v1/mcp', body, headers: { ...acceptHeaders, ...headers } })

const call = (id: number | string, name: string, input: object | null = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: input },
})

const revisions: [revision: string, post: (key: string, name: string) => Promise<ToolResponse>][] = [
  ['2026-07-28', (key, name) => sendMcp(server, key, { method: 'tools/call', params: { name, arguments: {} } })],
  [legacyRevision, (key, name) => post(key, call(1, name), { 'MCP-Protocol-Version': legacyRevision })],
]

function expectKeyRefusal(result: any, name: string, scope: Scope): void {
  expect(result.isError).toBe(true)
  expect(result.content[0].text).toBe(
    `insufficient_scope: ${name} needs the scope ${scope}, which this API key does not have. ` +
      `A key that has it can be made at ${server.baseUrl}/keys.`,
  )
  expect(JSON.parse(result.content[1].text)).toMatchObject({
    code: 'insufficient_scope',
    requiredScope: scope,
    keysUrl: `${server.baseUrl}/keys`,
    retryable: false,
  })
}

describe('an API key without the scope of a tool', () => {
  const keys = new Map<Scope, string>()
  beforeAll(async () => {
    for (const scope of scopes) keys.set(scope, (await server.createPerson({ scopes: without(scope) })).key)
  })

  describe.for(revisions)('in revision %s', ([, callTool]) => {
    test.for(offered.map(({ name, scope }) => [name, scope] as const))(
      '%s answers with a result that names the scope and where to make a key',
      async ([name, scope]) => {
        const { status, body, headers } = await callTool(keys.get(scope) as string, name)
        expect(status).toBe(200)
        expect(headers.get('www-authenticate')).toBeNull()
        expectKeyRefusal(body.result, name, scope)
      },
    )
  })

  test('the other calls of a batch are answered', async () => {
    const { key } = await server.createPerson({ scopes: ['library:read'] })
    const writing = offered.find((tool) => isWriteScope(tool.scope))?.name ?? ''
    const batch = [call(1, 'whoami'), call(2, writing), call(3, 'list_items')]
    const { status, text } = await post(key, batch, { 'MCP-Protocol-Version': '2025-03-26' })
    expect(status).toBe(200)
    const answers = [...text.matchAll(/^data: (.*)$/gm)].flatMap(([, data]) => JSON.parse(data as string))
    const byId = new Map(answers.map(({ id, result }) => [id, result]))
    expectKeyRefusal(byId.get(2), writing, 'library:write')
    expect(byId.get(1)).toMatchObject({ structuredContent: { id: expect.any(String) } })
    expect(byId.get(3)).toMatchObject({ structuredContent: { items: [] } })
  })

  test('a refused call counts in no rate bucket', async () => {
    const { key, id } = await server.createPerson({ scopes: ['library:read'] })
    await revisions[0]![1](key, 'create_shelf')
    const { db } = server.running.opened.database
    expect(await db.collection<{ _id: string }>('rates').findOne({ _id: `${id}:mcp_write` })).toBeNull()
  })
})

test.for(offered.map(({ name, scope }) => [name, scope] as const))(
  '%s accepts a key only with its scope',
  async ([name, scope]) => {
    const { key } = await server.createPerson({ scopes: [scope] })
    const answer = await sendMcp(server, key, { method: 'tools/call', params: { name, arguments: {} } })
    expect(answer.status).toBe(200)
    expect(answer.body.result.content[0].text).not.toMatch(/^insufficient_scope/)
  },
)

test('keys with all scopes and with none both list every tool', async () => {
  const none = await server.createPerson({ scopes: [] })
  const { body } = await sendMcp(server, none.key, { method: 'tools/list' })
  expect(body.result.tools).toHaveLength(offered.length)
})

describe('an access token without the scope of a tool', () => {
  const tokens = new Map<Scope, string>()
  let personId: string
  beforeAll(async () => {
    const { browser, account } = await signedInPerson(server)
    personId = account.id
    const app = await registerProgram(server)
    for (const scope of scopes) {
      tokens.set(scope, (await app.connect(browser, { scopes: without(scope) })).access_token)
    }
  })

  function expectScopeChallenge(answer: ToolResponse, missing: Scope): void {
    expect(answer.status).toBe(403)
    const requestId = answer.headers.get('x-request-id')
    expect(answer.body).toMatchObject({ code: 'insufficient_scope', requiredScope: missing, requestId })
    expect(answer.body.error).toMatchObject({
      code: -32_011,
      message: expect.stringContaining(missing),
      data: { code: 'insufficient_scope', requiredScope: missing, requestId },
    })
    const challenge = answer.headers.get('www-authenticate') ?? ''
    expect(challenge).toMatch(/^Bearer error="insufficient_scope", /)
    expect(challenge).toContain(`resource_metadata="${server.baseUrl}/.well-known/oauth-protected-resource`)
    const asked = /scope="([^"]*)"/.exec(challenge)?.[1]?.split(' ') ?? []
    expect(asked.sort()).toEqual([...scopes].sort())
  }

  describe.for(revisions)('in revision %s', ([, callTool]) => {
    test.for(offered.map(({ name, scope }) => [name, scope] as const))(
      '%s answers 403 with a challenge that names the scope',
      async ([name, scope]) => expectScopeChallenge(await callTool(tokens.get(scope) as string, name), scope),
    )
  })

  test('a batch with such a call is refused as a whole before anything runs', async () => {
    const batch = [call(1, 'whoami'), call(2, 'create_shelf', { name: 'No' })]
    const token = tokens.get('library:write') as string
    expectScopeChallenge(await post(token, batch, { 'MCP-Protocol-Version': '2025-03-26' }), 'library:write')
    const { db } = server.running.opened.database
    expect(await db.collection<{ _id: string }>('rates').findOne({ _id: `${personId}:mcp_read` })).toBeNull()
  })
})

describe('a 401 at the MCP address', () => {
  const meta = { _meta: metaOf() }
  test.for<[string, unknown, unknown]>([
    ['a call', { ...call(7, 'whoami'), params: { name: 'whoami', arguments: {}, ...meta } }, 7],
    ['a handshake', { jsonrpc: '2.0', id: 'a', method: 'initialize', params: {} }, 'a'],
    ['a batch', [call(1, 'whoami')], null],
    ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }, null],
    ['a body that is not JSON', '{"id": 3,', null],
    ['a message larger than the limit without a credential', call(8, 'whoami', { x: 'x'.repeat(70_000) }), null],
  ])('is a JSON-RPC error for %s, with its id if known', async ([, body, id]) => {
    const { status, body: refusal, headers } = await post(null, body, modernHeaders('tools/call', 'whoami'))
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toContain('resource_metadata=')
    const requestId = headers.get('x-request-id')
    expect(refusal).toEqual({
      jsonrpc: '2.0',
      id,
      error: { code: -32_010, message: 'Missing Authorization header', data: { requestId } },
      message: 'Missing Authorization header',
      requestId,
    })
  })

  test('has the body of the API for requests that no MCP client sends', async () => {
    for (const method of ['GET', 'POST']) {
      const { status, body } = await send(server, null, { method, path: '/api/v1/mcp' })
      expect(status).toBe(401)
      expect(body).toEqual({ error: 'Missing Authorization header', requestId: expect.any(String) })
    }
  })
})
