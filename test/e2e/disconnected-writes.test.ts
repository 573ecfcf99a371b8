import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mcp, rest, transports } from '../support/transports.ts'
import { hasTransport } from '../support/tool-cases.ts'
import { createDisconnectingClient, writesOf, type DisconnectingClient } from '../support/disconnecting-client.ts'
import { markdownPages } from '../support/make-book.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { prepareWrite, writingTools } from '../support/write-fixtures.ts'

let base: TestServer
let client: DisconnectingClient

beforeAll(async () => {
  base = await startTestServer({ LECTERN_ROLE: 'web' }, { monitorCommands: true })
  client = await createDisconnectingClient(base)
})
// Closing the server checks all invariants.
afterAll(async () => {
  await client.close()
  await base.close()
})

describe.for(transports)('over %s', ([name, transport]) => {
  const offered = writingTools.filter((tool) => hasTransport(tool, name))

  test.for(offered)('%s takes effect completely or not at all if its client disconnects', async (tool) => {
    const run = async (at?: number) => {
      const { input, by } = await prepareWrite(base, tool)
      return client.call(transport, { person: by, tool, input, disconnectAt: at })
    }
    // The first call opens as many connections as one round trip needs.
    await run()
    const whole = await run()
    expect(whole.answer).toMatchObject({ ok: true })
    const all = writesOf(whole.commands)
    const firstWrite = whole.commands.findIndex((command) => writesOf([command]).length > 0) + 1
    expect(firstWrite).toBeGreaterThan(0)

    // Disconnected before its first write, the call has changed nothing.
    for (const at of new Set([1, firstWrite - 1].filter((step) => step > 0 && step < firstWrite))) {
      const left = await run(at)
      expect(left.answer.ok).toBe(false)
      expect(writesOf(left.commands)).toEqual([])
    }
    // Disconnected later, the call has made all its changes, as for a client that stays connected.
    for (const at of [firstWrite, firstWrite + 1]) {
      const left = await run(at)
      expect(left.answer.ok).toBe(true)
      expect(writesOf(left.commands)).toEqual(all)
    }
  })
})

test('a create with an idempotency key runs to completion, and a repeat gets its answer', async () => {
  const owner = await base.createPerson()
  const input = { title: 'Once', content: markdownPages(3) }
  const keyed = { ...input, idempotencyKey: 'once' }
  const left = await client.call(mcp, { person: owner, tool: 'create_markdown_item', input: keyed, disconnectAt: 1 })
  expect(left.answer.ok).toBe(true)
  const again = await client.call(mcp, { person: owner, tool: 'create_markdown_item', input: keyed })
  expect(again.answer.body.id).toBe(left.answer.body.id)
  expect((await rest.call(base, owner, 'list_items')).body.items).toHaveLength(1)
})
