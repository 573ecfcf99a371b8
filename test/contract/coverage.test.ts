import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tools } from '../../tools/index.ts'
import { send, sendMcp } from '../support/transports.ts'
import { startTestServer, type Person, type TestServer } from '../support/server.ts'

// The contract as data lies beside the project where it is developed.
const spec = new URL('../../../shared/spec/', import.meta.url)
const load = (name: string) =>
  existsSync(new URL(name, spec)) ? JSON.parse(readFileSync(new URL(name, spec), 'utf8')) : []

interface SpecRoute {
  method: string
  path: string
  section: string
}

/** Sections that are not built yet. */
const later = new Set(['MCP server'])
const routes = (load('routes.json') as SpecRoute[]).filter(({ section }) => !later.has(section))

interface SpecTool {
  name: string
  scope: string
  readOnlyHint: boolean
  destructiveHint: boolean
  idempotentHint: boolean
}

const specTools = load('tools.json') as SpecTool[]

let server: TestServer
let person: Person

describe.skipIf(routes.length === 0)('the contract', () => {
  beforeAll(async () => {
    server = await startTestServer()
    person = await server.createPerson()
  })
  afterAll(() => server.close())

  test.for(routes)('$method $path is answered by a declared capability', async ({ method, path }) => {
    const concrete = path.replaceAll(/\{\w+\}/g, 'unknown')
    const body = method === 'GET' ? undefined : {}
    const answer = await send(server, person.key, { method, path: concrete, body })
    expect(answer.status).toBeLessThan(500)
    expect(answer.body.error ?? '').not.toMatch(/There is nothing at/)
    const unsigned = await send(server, null, { method, path: concrete, body })
    expect(unsigned.status).toBe(path === '/api/marketplace/browse' ? 200 : 401)
  })

  test.for(specTools)('$name is a tool with the scope and the hints of the contract, and answers', async (wanted) => {
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
    expect(body.result.content[0].text).not.toMatch(/Internal error/)
  })
})
