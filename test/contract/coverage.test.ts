import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { errorCatalogue } from '../../src/core/error-catalogue.ts'
import { routePath, type Declaration } from '../../src/core/tool.ts'
import { tools } from '../../tools/index.ts'
import { send, sendMcp, type ToolResponse } from '../support/transports.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { unknownIdRequests } from './unknown-id-requests.ts'

interface ContractRoute {
  method: string
  path: string
  section: string
}

interface ContractTool {
  name: string
  scope: string
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
}

const load = (name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'))
const contractRoutes = load('routes.json') as ContractRoute[]
const contractTools = load('tools.json') as ContractTool[]

const mcpAddress = 'POST /api/v1/mcp'
const routes = contractRoutes
  .map((route) => ({ ...route, key: `${route.method} ${route.path}` }))
  .filter(({ key }) => key !== mcpAddress)
const routesWithIds = routes.filter(({ path }) => path.includes('{'))

/** A route without the names of its path parameters. */
const pattern = (method: string, path: string) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`

function declarationsOf({ method, path }: ContractRoute): readonly Declaration[] {
  return tools.filter(({ rest }) => rest && pattern(rest.method, routePath(rest)) === pattern(method, path))
}

/** Replaces each path parameter with an unknown id. */
function unknownPath(path: string): string {
  return path.replaceAll('{pageNum}', '1').replaceAll(/\{\w+\}/g, 'unknown')
}

/** The fields of every refusal over REST: a message, the id of the request, and optionally a code of the catalogue. */
function expectRefusal({ status, body, headers }: ToolResponse): void {
  expect(status).toBeLessThan(500)
  expect(body).toMatchObject({ error: expect.stringMatching(/\S/), requestId: headers.get('x-request-id') })
  expect(body.error).not.toMatch(/No route for/)
  if (body.code !== undefined) expect(Object.keys(errorCatalogue)).toContain(body.code)
}

const server = useTestServer()
let person: Person

beforeAll(async () => {
  person = await server.createPerson()
})

/** Returns how many requests of this kind the server has counted. */
async function countRequests(labels: { route: string; method: string; status: number }): Promise<number> {
  const { text } = await send(server, null, { method: 'GET', path: '/metrics' })
  const name = `lectern_http_request_duration_seconds_count{route="${labels.route}",method="${labels.method}",status="${labels.status}"} `
  const line = text.split('\n').find((candidate) => candidate.startsWith(name))
  return line ? Number(line.slice(name.length)) : 0
}

describe('the data of the contract', () => {
  test('lists each route and each tool once', () => {
    expect(contractRoutes.length).toBeGreaterThan(60)
    expect(contractTools.length).toBeGreaterThan(30)
    const keys = contractRoutes.map(({ method, path }) => pattern(method, path))
    expect(new Set(keys).size).toBe(keys.length)
    expect(new Set(contractTools.map(({ name }) => name)).size).toBe(contractTools.length)
  })

  test('has an unknown-id request for each route with an id, and for no other', () => {
    expect(Object.keys(unknownIdRequests).sort()).toEqual(routesWithIds.map(({ key }) => key).sort())
  })
})

describe.for(routes)('the route $key', ({ method, path }) => {
  const matching = declarationsOf({ method, path, section: '' })

  test('is declared by exactly one capability', () => {
    expect(matching.map(({ name }) => name)).toHaveLength(1)
  })

  test('is answered by that capability, with a result or a refusal in the standard form', async () => {
    const { name = '' } = matching[0] ?? {}
    const request = { method, path: unknownPath(path), body: method === 'GET' ? undefined : {} }
    const answer = await send(server, person.key, request)
    if (!answer.ok) expectRefusal(answer)
    expect(await countRequests({ route: name, method, status: answer.status })).toBeGreaterThan(0)
  })

  test('requires a credential unless it is public', async () => {
    const isOpen = matching[0]?.rest?.credential === 'none'
    const request = { method, path: unknownPath(path), body: method === 'GET' ? undefined : {} }
    const answer = await send(server, null, request)
    expect(answer.status).toBe(isOpen ? 200 : 401)
    if (!isOpen) expectRefusal(answer)
  })
})

test('only browsing the marketplace is public', () => {
  const open = routes.filter((route) => declarationsOf(route)[0]?.rest?.credential === 'none')
  expect(open.map(({ key }) => key)).toEqual(['GET /api/marketplace/browse'])
})

test.for(routesWithIds)('$key answers an unknown id as the contract requires', async ({ key, method, path }) => {
  const expected = unknownIdRequests[key]
  const address = `${unknownPath(path)}${expected?.query ?? ''}`
  const answer = await send(server, person.key, { method, path: address, body: expected?.body })
  expect({ status: answer.status, code: answer.body.code ?? null, error: answer.body.error }).toMatchObject({
    status: expected?.status,
    code: expected?.code ?? null,
  })
  if (!answer.ok) expectRefusal(answer)
})

test('the MCP endpoint answers a call and refuses one without a credential', async () => {
  const listed = await sendMcp(server, person.key, { method: 'tools/list' })
  expect(listed.body.result.tools.map(({ name }: ContractTool) => name)).toEqual(
    expect.arrayContaining(contractTools.map(({ name }) => name)),
  )
  expect((await sendMcp(server, null, { method: 'tools/list' })).status).toBe(401)
})

test.for(contractTools)('the tool $name has the scope and the hints of the contract, and answers', async (wanted) => {
  const tool = tools.find(({ name }) => name === wanted.name)
  expect(tool?.mcp).not.toBe(false)
  expect(tool?.scope).toBe(wanted.scope)
  const { readOnlyHint, destructiveHint, idempotentHint } = wanted
  expect(tool?.annotations).toMatchObject({ readOnlyHint, destructiveHint, idempotentHint })
  const { status, body } = await sendMcp(server, person.key, {
    method: 'tools/call',
    params: { name: wanted.name, arguments: {} },
  })
  expect(status).toBe(200)
  const [first, details] = body.result.content
  expect(first.text).not.toMatch(/Internal error/)
  // Without arguments, a tool either succeeds or says what is missing, in the format of all refusals.
  if (body.result.isError) expect(JSON.parse(details.text)).toMatchObject({ requestId: expect.any(String) })
  else expect(body.result.structuredContent ?? first).toBeTypeOf('object')
})
