import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { doors, type Door } from './support/doors.ts'
import { hasDoor } from './support/every-tool.ts'
import { leavingClient, writesOf, type LeavingClient } from './support/leaving-client.ts'
import { makeBook, pagesOf } from './support/make-book.ts'
import { startTestServer, type Person, type TestServer } from './support/server.ts'
import { sendFile } from './support/uploads.ts'

let base: TestServer
let client: LeavingClient

beforeAll(async () => {
  base = await startTestServer({ LECTERN_ROLE: 'web' }, { monitorCommands: true })
  client = await leavingClient(base)
})
// Closing the server examines everything that is stored.
afterAll(async () => {
  await client.close()
  await base.close()
})

const [, rest] = doors[0] as [string, Door]

/** What a write begins with, for an account of its own; gives what is to be called, by whom else than the owner. */
type Prepare = (owner: Person) => Promise<{ input: Record<string, unknown>; by?: Person }>

const call = async (person: Person, tool: string, input: Record<string, unknown>) => {
  const { ok, body } = await rest.call(base, person, tool, input)
  if (!ok) throw new Error(`${tool}: ${JSON.stringify(body)}`)
  return body
}
const book = (owner: Person) => makeBook(base, owner, { title: 'A book', content: pagesOf(5) })
const edited = async (owner: Person) => {
  const id = await book(owner)
  await call(owner, 'put_item_page', { id, pageNum: 2, content: '# Page 2\n\nother\n' })
  return id
}
const shared = async (owner: Person) => {
  const itemId = await book(owner)
  const { team } = await call(owner, 'create_team', { name: 'Us' })
  return { itemId, teamId: team.id as string }
}
const published = async (owner: Person) => {
  const itemId = await book(owner)
  return { itemId, id: (await call(owner, 'publish_listing', { itemId })).listing.id as string }
}
const file = { filename: 'notes.md', bytes: Buffer.from('# One\n\ntext\n') }

const writes: Record<string, Prepare> = {
  create_markdown_item: async () => ({ input: { title: 'New', content: pagesOf(3) } }),
  append_item_pages: async (owner) => ({ input: { id: await book(owner), content: '# More\n\ntext\n' } }),
  put_item_page: async (owner) => ({ input: { id: await book(owner), pageNum: 3, content: '# Page 3\n\nnew\n' } }),
  put_item_content: async (owner) => ({ input: { id: await book(owner), content: pagesOf(2) } }),
  restore_item_version: async (owner) => ({ input: { id: await edited(owner), version: 1 } }),
  enrich_item: async (owner) => ({ input: { itemId: await book(owner), toc: [{ title: 'One', page: 1 }] } }),
  delete_items: async (owner) => ({ input: { ids: [await edited(owner), await book(owner)] } }),
  start_upload: async () => ({ input: { filename: 'notes.md', size: 10, contentType: 'text/markdown' } }),
  confirm_upload: async (owner) => {
    const { itemId, storageKey } = await sendFile(base, owner, file)
    return { input: { itemId, storageKey } }
  },
  add_to_shelf: async (owner) => {
    const { id } = await call(owner, 'create_shelf', { name: 'Shelf' })
    return { input: { shelf: id, itemIds: [await book(owner)] } }
  },
  create_manuscript: async () => ({ input: { title: 'Notes' } }),
  archive_manuscript: async (owner) => {
    const { manuscript } = await call(owner, 'create_manuscript', { title: 'Notes' })
    return { input: { manuscriptId: manuscript.id } }
  },
  publish_listing: async (owner) => ({ input: { itemId: await book(owner) } }),
  withdraw_listing: async (owner) => ({ input: { id: (await published(owner)).id } }),
  subscribe_marketplace: async (owner) => {
    return { input: { listingId: (await published(owner)).id }, by: await base.person() }
  },
  unsubscribe_marketplace: async (owner) => {
    const { id: listingId } = await published(owner)
    const by = await base.person()
    await call(by, 'subscribe_marketplace', { listingId })
    return { input: { listingId }, by }
  },
  create_team: async () => ({ input: { name: 'Us' } }),
  share_item: async (owner) => ({ input: { ...(await shared(owner)), accessLevel: 'READ' } }),
  unshare_item: async (owner) => {
    const input = await shared(owner)
    await call(owner, 'share_item', { ...input, accessLevel: 'WRITE' })
    return { input }
  },
  delete_team: async (owner) => ({ input: { teamId: (await shared(owner)).teamId } }),
  report_book_gap: async (owner) => {
    const { itemId, id: listingId } = await published(owner)
    const by = await base.person()
    await call(by, 'subscribe_marketplace', { listingId })
    return { input: { itemId, intent: 'to learn it', category: 'other', subcategory: 'weaving' }, by }
  },
}

describe.for(doors)('over %s', ([name, door]) => {
  const offered = Object.entries(writes).filter(([tool]) => hasDoor(tool, name))

  test.for(offered)('%s happens whole or not at all when its client goes', async ([tool, prepare]) => {
    const run = async (at?: number) => {
      const owner = await base.person()
      const { input, by } = await prepare(owner)
      return client.call(door, { person: by ?? owner, tool, input, at })
    }
    // Once before, so that there are as many connections as one round needs.
    await run()
    const whole = await run()
    expect(whole.answer).toMatchObject({ ok: true })
    const all = writesOf(whole.sent)
    const firstWrite = whole.sent.findIndex((command) => writesOf([command]).length > 0) + 1
    expect(firstWrite).toBeGreaterThan(0)

    // While it only reads: nothing has happened.
    for (const at of new Set([1, firstWrite - 1].filter((step) => step > 0 && step < firstWrite))) {
      const left = await run(at)
      expect(left.answer.ok).toBe(false)
      expect(writesOf(left.sent)).toEqual([])
    }
    // From its first write on: everything, as if the client had stayed.
    for (const at of [firstWrite, firstWrite + 1]) {
      const left = await run(at)
      expect(left.answer.ok).toBe(true)
      expect(writesOf(left.sent)).toEqual(all)
    }
  })
})

test('a create that is to happen once runs to its end and is answered again', async () => {
  const owner = await base.person()
  const input = { title: 'Once', content: pagesOf(3) }
  const mcp = (doors[1] as [string, Door])[1]
  const keyed = { ...input, idempotencyKey: 'once' }
  const left = await client.call(mcp, { person: owner, tool: 'create_markdown_item', input: keyed, at: 1 })
  expect(left.answer.ok).toBe(true)
  const again = await client.call(mcp, { person: owner, tool: 'create_markdown_item', input: keyed })
  expect(again.answer.body.id).toBe(left.answer.body.id)
  expect((await call(owner, 'list_items', {})).items).toHaveLength(1)
})
