import { beforeAll, describe, expect, test } from 'vitest'
import { transports, type ToolResponse } from '../../support/transports.ts'
import { makeBook } from '../../support/make-book.ts'
import { useTestServer } from '../../support/use-test-server.ts'
import { createTeamClient, type TeamClient } from '../../support/team-client.ts'
import { sendFile } from '../../support/uploads.ts'

const server = useTestServer()
let desk: TeamClient

beforeAll(async () => {
  desk = createTeamClient(server)
})

async function scene(accessLevel: 'READ' | 'WRITE') {
  const [owner, member] = await Promise.all([server.createPerson(), server.createPerson()])
  await server.running.opened.services.accounts.change(member.id, { name: 'Mia Member' })
  const team = await desk.createTeam(owner)
  await desk.addMember(team, member)
  const book = await makeBook(server, owner, { title: 'Shared', content: '# One\n\nfirst\n# Two\n\nsecond\n' })
  await desk.shareItem(team, owner, book, { accessLevel })
  return { owner, member, team, book }
}

type Call = [tool: string, input: (book: string) => Record<string, unknown>]

const writes: Call[] = [
  ['append_item_pages', (id) => ({ id, content: '# Three\n' })],
  ['put_item_page', (id) => ({ id, pageNum: 1, content: '# Uno\n' })],
  ['put_item_content', (id) => ({ id, content: '# All\n' })],
  ['restore_item_version', (id) => ({ id, version: 1 })],
  ['enrich_item', (itemId) => ({ itemId, title: 'Enriched', toc: [{ title: 'T', page: 1 }] })],
]

const ownersOnly: Call[] = [
  ['flag_item', (itemId) => ({ itemId })],
  ['reprocess_item', (itemId) => ({ itemId })],
]

describe.for(transports)('over %s', ([name, transport]) => {
  const refused = (answer: ToolResponse, code: string) => {
    expect([answer.ok, answer.body.code]).toEqual([false, code])
    if (name === 'rest') expect(answer.status).toBe(403)
  }

  test.for(writes)('%s works with WRITE access and is refused with READ access', async ([tool, input]) => {
    const writable = await scene('WRITE')
    expect((await transport.call(server, writable.member, tool, input(writable.book))).ok).toBe(true)
    const readable = await scene('READ')
    refused(await transport.call(server, readable.member, tool, input(readable.book)), 'FORBIDDEN')
  })

  test.for(ownersOnly)('%s is only for the owner, also with WRITE access', async ([tool, input]) => {
    const { member, book } = await scene('WRITE')
    refused(await transport.call(server, member, tool, input(book)), 'FORBIDDEN')
  })

  test('nobody deletes the book of another account', async () => {
    const { owner, member, book } = await scene('WRITE')
    const { body } = await transport.call(server, member, 'delete_items', { ids: [book] })
    expect(body).toEqual({ deleted: [], notFound: [book] })
    expect((await transport.call(server, owner, 'get_item_content', { id: book })).ok).toBe(true)
  })

  test("what a member writes is readable and searchable for all, under the writer's name", async () => {
    const { owner, member, book } = await scene('WRITE')
    const written = await transport.call(server, member, 'append_item_pages', {
      id: book,
      content: '# Walrus\n\ntusks\n',
    })
    expect(written.body).toMatchObject({ version: 2, pageCount: 3 })
    for (const person of [owner, member]) {
      const { body } = await transport.call(server, person, 'get_item_content', { id: book })
      expect(body.content).toMatch(/tusks/)
      const found = await transport.call(server, person, 'search_items', { query: 'walrus tusks' })
      expect(found.body.items).toMatchObject([{ id: book }])
    }
    await transport.call(server, owner, 'put_item_page', { id: book, pageNum: 1, content: '# Uno\n' })
    const { body } = await transport.call(server, owner, 'list_item_versions', { id: book })
    expect(body.versions).toMatchObject([
      { version: 2, createdBy: 'Mia Member' },
      { version: 1, createdBy: owner.email.split('@')[0] },
    ])
    const late = { id: book, pageNum: 1, content: '# Late\n', expectedVersion: 1 }
    await transport.call(server, member, 'put_item_page', { id: book, pageNum: 2, content: '# Dos\n' })
    const conflict = await transport.call(server, owner, 'put_item_page', late)
    expect(conflict.body).toMatchObject({ code: 'VERSION_CONFLICT', updatedBy: 'Mia Member' })
  })

  test('a member with WRITE access changes the title for everybody', async () => {
    const { owner, member, book } = await scene('WRITE')
    await transport.call(server, member, 'enrich_item', { itemId: book, title: 'Renamed', confidence: 1 })
    const { body } = await transport.call(server, owner, 'list_items')
    expect(body.items).toMatchObject([{ id: book, title: 'Renamed', enrichmentConfidence: 1 }])
    expect((await desk.call(member, 'GET /items')).body.enrichmentQueue).toEqual([])
  })

  test('concurrent writes of a team and the owner are all kept', async () => {
    const { owner, member, book } = await scene('WRITE')
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        transport.call(server, index % 2 ? owner : member, 'append_item_pages', {
          id: book,
          content: `# By ${index}\n`,
        }),
      ),
    )
    expect(answers.map(({ ok }) => ok)).toEqual(Array(8).fill(true))
    const { body } = await transport.call(server, owner, 'get_item_content', { id: book })
    for (let index = 0; index < 8; index++) expect(body.content).toContain(`# By ${index}\n`)
    expect(body.version).toBe(9)
  })

  test('the higher access level of two shares applies', async () => {
    const { owner, member, book } = await scene('READ')
    const other = await desk.createTeam(owner)
    await desk.addMember(other, member)
    await desk.shareItem(other, owner, book, { accessLevel: 'WRITE' })
    expect((await transport.call(server, member, 'append_item_pages', { id: book, content: '# New\n' })).ok).toBe(true)
  })
})

test('a book that is replaced by a new file stays shared on the same terms', async () => {
  const { owner, member, team, book } = await scene('WRITE')
  const file = { filename: 'new.md', bytes: Buffer.from('# New text\n') }
  const { itemId, storageKey } = await sendFile(server, owner, file)
  const { body } = await desk.call(owner, 'POST /upload/confirm', { itemId, storageKey, replacesItemId: book })
  expect(body.replacedItemId).toBe(book)
  const { items } = (await desk.call(member, `GET /teams/${team}/items`)).body
  expect(items).toMatchObject([{ itemId, accessLevel: 'WRITE', teamWide: true }])
})
