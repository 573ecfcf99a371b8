import { describe, expect, test } from 'vitest'
import { isWriteScope, scopes, type Scope } from '../../src/core/scopes.ts'
import { tools } from '../../tools/index.ts'
import { send, sendMcp, type ToolResponse } from '../support/transports.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

const offered = tools.filter(({ mcp }) => mcp !== false)

function expectScopeChallenge(answer: ToolResponse, missing: Scope, held: readonly Scope[]): void {
  expect(answer.status).toBe(403)
  expect(answer.body).toMatchObject({ code: 'insufficient_scope', error: expect.stringContaining(missing) })
  expect(answer.body.requestId).toBe(answer.headers.get('x-request-id'))
  const challenge = answer.headers.get('www-authenticate') ?? ''
  expect(challenge).toMatch(/^Bearer error="insufficient_scope", /)
  expect(challenge).toContain(`resource_metadata="${server.baseUrl}/.well-known/oauth-protected-resource`)
  const asked = /scope="([^"]*)"/.exec(challenge)?.[1]?.split(' ') ?? []
  expect(asked.sort()).toEqual([...held, missing].sort())
}

describe.for(offered.map((tool) => [tool.name, tool] as const))('%s', ([name, tool]) => {
  const params = { name, arguments: {} }

  test('a call without its scope is 403 with a challenge that names the scope', async () => {
    const held = scopes.filter((scope) => scope !== tool.scope)
    const { key } = await server.createPerson({ scopes: [...held] })
    expectScopeChallenge(await sendMcp(server, key, { method: 'tools/call', params }), tool.scope, held)
  })

  test('a call with only its scope is admitted', async () => {
    const { key } = await server.createPerson({ scopes: [tool.scope] })
    const answer = await sendMcp(server, key, { method: 'tools/call', params })
    expect(answer.status).toBe(200)
    expect(answer.body.result).toBeDefined()
  })
})

test('keys with all scopes and with none both list every tool', async () => {
  const none = await server.createPerson({ scopes: [] })
  const { body } = await sendMcp(server, none.key, { method: 'tools/list' })
  expect(body.result.tools).toHaveLength(offered.length)
})

const call = (id: number, name: string, input: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: input },
})

test('a batch with one call without its scope is refused as a whole before anything runs', async () => {
  const person = await server.createPerson({ scopes: ['library:read'] })
  const writing = offered.find((tool) => isWriteScope(tool.scope))?.name ?? ''
  const answer = await send(server, person.key, {
    method: 'POST',
    path: '/api/v1/mcp',
    body: [call(1, 'whoami', {}), call(2, writing, {})],
    headers: { Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-03-26' },
  })
  expectScopeChallenge(answer, 'library:write', ['library:read'])
  const { db } = server.running.opened.database
  expect(await db.collection<{ _id: string }>('rates').findOne({ _id: `${person.id}:mcp_read` })).toBeNull()
})

test('a legacy client gets the same 403', async () => {
  const { key } = await server.createPerson({ scopes: ['marketplace:read'] })
  const answer = await send(server, key, {
    method: 'POST',
    path: '/api/v1/mcp',
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami' } },
    headers: { Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-06-18' },
  })
  expectScopeChallenge(answer, 'library:read', ['marketplace:read'])
})
