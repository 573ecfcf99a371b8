import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { generateApiKey } from '../../src/accounts/api-key.ts'
import createMarkdownItem from '../../tools/books/create-markdown-item.ts'
import getItemContent from '../../tools/reading/get-item-content.ts'
import { makeBook } from '../support/make-book.ts'
import { mountTools, type Mounted } from '../support/mount-tools.ts'
import { startTestServer, type Person, type TestServer } from '../support/server.ts'
import { send, sendMcp } from '../support/transports.ts'

let base: TestServer
let mounted: Mounted
let reader: Person
let foreignBook: string

beforeAll(async () => {
  base = await startTestServer({ LECTERN_ROLE: 'web' })
  mounted = await mountTools(base, [createMarkdownItem, getItemContent])
  reader = await base.createPerson({ scopes: ['library:read'] })
  foreignBook = await makeBook(base, await base.createPerson(), { content: 'text' })
})
afterAll(async () => {
  await mounted.close()
  await base.close()
})

/** Returns the log line of the request that got this answer. */
async function lineOf({ headers }: { headers: Headers }, message = 'request'): Promise<Record<string, unknown>> {
  const requestId = headers.get('x-request-id') ?? 'none'
  const find = () =>
    mounted
      .logged()
      .split('\n')
      .filter((line) => line.includes(requestId))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .find(({ msg }) => msg === message)
  await vi.waitUntil(() => find() !== undefined)
  return find() as Record<string, unknown>
}

const write = { method: 'POST', path: '/api/v1/items/markdown', body: { title: 'T' } }
const readForeign = () => ({ method: 'GET', path: `/api/v1/items/${foreignBook}/content` })
const call = { method: 'tools/call', params: { name: 'create_markdown_item', arguments: { title: 'T' } } }

describe('the log records who was refused what', () => {
  test('it records a call without a valid key with route and status, and without the key', async () => {
    const wrongKey = generateApiKey()
    for (const key of [null, wrongKey]) {
      const line = await lineOf(await send(mounted.server, key, write))
      expect(line).toMatchObject({ method: 'POST', route: 'create_markdown_item', status: 401, actor: null })
    }
    expect(mounted.logged()).not.toContain(wrongKey)
  })

  test('it records a call without its scope with the account, over REST and MCP', async () => {
    const overRest = await lineOf(await send(mounted.server, reader.key, write))
    expect(overRest).toMatchObject({ route: 'create_markdown_item', status: 403, actor: reader.id })
    const overMcp = await lineOf(await sendMcp(mounted.server, reader.key, call), 'call refused')
    // The response has the status 200, and the refusal has a separate log line.
    expect(overMcp).toMatchObject({ route: 'create_markdown_item', code: 'INSUFFICIENT_SCOPE', actor: reader.id })
  })

  test("it records a call for another account's object with the account", async () => {
    const line = await lineOf(await send(mounted.server, reader.key, readForeign()))
    expect(line).toMatchObject({ route: 'get_item_content', status: 404, actor: reader.id })
  })

  test('it records a call beyond a limit with the account', async () => {
    const writer = await base.createPerson()
    const answers = []
    for (let i = 0; i <= 60; i++) answers.push(await send(mounted.server, writer.key, { ...write, body: {} }))
    const limited = answers.filter(({ status }) => status === 429)
    expect(limited).toHaveLength(1)
    for (const answer of limited) expect(await lineOf(answer)).toMatchObject({ status: 429, actor: writer.id })
  })
})
