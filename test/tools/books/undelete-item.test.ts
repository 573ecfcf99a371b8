import { describe, expect, test } from 'vitest'
import { emptyBins } from '../../../src/books/bin.ts'
import { rest, transports, type ToolResponse } from '../../support/transports.ts'
import { makeBook, markdownPages } from '../../support/make-book.ts'
import { publishBook } from '../../support/marketplace.ts'
import { plansEnvironment } from '../../support/plans-environment.ts'
import { expectRefusal } from '../../support/expect-refusal.ts'
import type { Person } from '../../support/server.ts'
import { createTeamClient } from '../../support/team-client.ts'
import { importFile } from '../../support/uploads.ts'
import { useTestServer } from '../../support/use-test-server.ts'

const server = useTestServer(await plansEnvironment({ tier: 'TINY', itemLimit: 1, storageMb: 1 }))
const dayMs = 24 * 60 * 60 * 1000

const call = async (person: Person, tool: string, input: Record<string, unknown> = {}) => {
  const answer: ToolResponse = await rest.call(server, person, tool, input)
  if (!answer.ok) throw new Error(`${tool} was refused: ${answer.text}`)
  return answer.body
}
const bin = async (person: Person) => (await call(person, 'list_deleted_items')).items as { id: string }[]
const idsInBin = async (person: Person) => (await bin(person)).map(({ id }) => id)
const slotsOf = ({ id }: Person) => server.running.opened.services.accounts.byId(id)
const later = (days: number) => ({
  ...server.running.opened.services,
  now: () => new Date(Date.now() + days * dayMs),
})

const pageCountOf = async ({ id }: Person) => (await server.running.opened.services.books.libraryCounts(id)).own.pages

async function tinyPerson(): Promise<Person> {
  const person = await server.createPerson()
  await server.running.opened.services.accounts.change(person.id, { tier: 'TINY' })
  return person
}

describe.for(transports)('a deleted book over %s', ([name, transport]) => {
  const remove = (person: Person, ...ids: string[]) => transport.call(server, person, 'delete_items', { ids })
  const undelete = (person: Person, itemId: string) => transport.call(server, person, 'undelete_item', { itemId })

  test('is gone everywhere, is in the bin, and can be restored with versions, metadata and shelves', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { title: 'Herons', content: markdownPages(3) })
    await call(person, 'append_item_pages', { id, content: '# Page 4\n\nbittern\n' })
    await call(person, 'enrich_item', { itemId: id, author: 'A. Writer', description: 'Birds.' })
    const shelf = await call(person, 'create_shelf', { name: 'Birds' })
    const gone = await call(person, 'create_shelf', { name: 'Gone' })
    for (const { id: on } of [shelf, gone]) await call(person, 'add_to_shelf', { shelf: on, itemIds: [id] })
    const before = await call(person, 'get_item_content', { id })
    const versions = await call(person, 'list_item_versions', { id })
    expect(versions.versions).not.toEqual([])

    expect((await remove(person, id)).body).toEqual({ deleted: [id], notFound: [] })
    expect(await slotsOf(person)).toMatchObject({ slots: 0, pending: [] })
    expect((await call(person, 'list_items')).items).toEqual([])
    expect((await call(person, 'search_items', { query: 'bittern' })).total).toBe(0)
    expect((await call(person, 'get_shelf', { shelf: shelf.id })).items).toEqual([])
    expect(await pageCountOf(person)).toBe(0)
    expect((await transport.call(server, person, 'read_items', { items: [{ id }] })).body.notFound).toEqual([id])
    const [row] = await bin(person)
    expect(row).toMatchObject({ id, title: 'Herons', author: 'A. Writer', pageCount: 4, bytes: expect.any(Number) })
    const { deletedAt, erasedAt } = row as unknown as Record<string, string>
    expect(Date.parse(erasedAt as string) - Date.parse(deletedAt as string)).toBe(7 * dayMs)
    await call(person, 'delete_shelf', { shelf: gone.id })

    const { body, ok } = await undelete(person, id)
    expect(ok).toBe(true)
    expect(body).toEqual({
      id,
      title: 'Herons',
      status: 'READY',
      health: 'ok',
      healthReason: null,
      pageCount: 4,
      shelves: [{ id: shelf.id, slug: shelf.slug, name: 'Birds' }],
    })
    expect(await bin(person)).toEqual([])
    expect(await slotsOf(person)).toMatchObject({ slots: 1, pending: [] })
    const after = await call(person, 'get_item_content', { id })
    expect(after).toMatchObject({ content: before.content, version: before.version, description: 'Birds.' })
    expect((await call(person, 'search_items', { query: 'bittern' })).items[0].id).toBe(id)
    expect(await call(person, 'list_item_versions', { id })).toEqual(versions)
    expect(await pageCountOf(person)).toBe(4)
    expect((await undelete(person, id)).body).toEqual(body)
    expect(await slotsOf(person)).toMatchObject({ slots: 1, pending: [] })
  })

  test('is restored with its original file, and the same file can be added while it is in the bin', async () => {
    const person = await server.createPerson()
    const file = { filename: 'storks.md', bytes: new TextEncoder().encode('# Storks\n\nstork') }
    const { itemId } = await importFile(server, person, file)
    await remove(person, itemId)
    const second = await importFile(server, person, file)
    expect(second.itemId).not.toBe(itemId)
    expect((await undelete(person, itemId)).body).toMatchObject({ id: itemId, status: 'READY' })
    const { books, files } = server.running.opened.services
    const [book] = await books.findOwned(person.id, [itemId])
    expect(await files.head(book?.original?.storageKey ?? '')).toEqual({ bytes: file.bytes.byteLength })
    await call(person, 'reprocess_item', { itemId })
  })

  test('is restored for its owner only: no share, no subscription, no listing', async () => {
    const person = await server.createPerson()
    const { itemId, listingId } = await publishBook(server, person)
    const reader = await server.createPerson()
    await call(reader, 'subscribe_marketplace', { listingId })
    const { team } = await call(person, 'create_team', { name: 'Birds' })
    const member = await server.createPerson()
    await createTeamClient(server).addMember(team.id, member)
    await call(person, 'share_item', { teamId: team.id, itemId })
    await remove(person, itemId)
    expect(await slotsOf(reader)).toMatchObject({ slots: 0, pending: [] })
    for (const other of [reader, member]) {
      expect((await undelete(other, itemId)).ok).toBe(false)
      expect(await bin(other)).toEqual([])
    }
    await undelete(person, itemId)
    for (const other of [reader, member]) {
      expect((await transport.call(server, other, 'read_items', { items: [{ id: itemId }] })).body.notFound).toEqual([
        itemId,
      ])
    }
    expect((await call(person, 'list_listings')).listings ?? []).toEqual([])
  })

  test('is not restored if no book can be added, and the refusal names the remedy', async () => {
    const person = await tinyPerson()
    const id = await makeBook(server, person)
    await remove(person, id)
    const other = await makeBook(server, person)
    expectRefusal(await undelete(person, id), name, {
      status: 403,
      code: 'PLAN_LIMIT_EXCEEDED',
      message: /Your library is full\..* Or delete another book first: this one stays in the bin until \d{4}-\d\d-\d\d/,
    })
    expect(await slotsOf(person)).toMatchObject({ slots: 1, pending: [] })
    expect(await idsInBin(person)).toEqual([id])
    await remove(person, other)
    expect((await undelete(person, id)).ok).toBe(true)
  })

  test('is not restored if its bytes exceed the storage, which does not include it while deleted', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person, { content: 'x'.repeat(700_000) })
    const other = await makeBook(server, person)
    await remove(person, id)
    const { services } = server.running.opened
    expect((await services.books.libraryCounts(person.id)).own.storedBytes).toBeLessThan(1000)
    await call(person, 'put_item_content', { id: other, content: 'y'.repeat(700_000) })
    await services.accounts.change(person.id, { tier: 'TINY' })
    expectRefusal(await undelete(person, id), name, {
      status: 403,
      code: 'PLAN_LIMIT_EXCEEDED',
      message: /storage is full/,
    })
  })

  test.for(['stranger', 'unknown', 'erased', 'empty'] as const)('is not found: %s', async (kind) => {
    const person = await server.createPerson()
    const id = await makeBook(server, person)
    await remove(person, id)
    if (kind === 'erased') await call(person, 'erase_deleted_item', { itemId: id })
    const asker = kind === 'stranger' ? await server.createPerson() : person
    const asked = { stranger: id, unknown: '0m0', erased: id, empty: 'x' }[kind]
    expectRefusal(await undelete(asker, asked), name, { status: 404, code: 'NOT_FOUND', message: /Item not found/ })
  })

  test('is restored once by many concurrent calls', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person)
    await remove(person, id)
    const answers = await Promise.all(Array.from({ length: 8 }, () => undelete(person, id)))
    expect(answers.map(({ ok }) => ok)).toEqual(Array.from({ length: 8 }, () => true))
    expect(await slotsOf(person)).toMatchObject({ slots: 1, pending: [] })
    expect((await call(person, 'whoami')).ownedCount).toBe(1)
  })

  test('has no running import after its return, if one was running when it was deleted', async () => {
    const person = await server.createPerson()
    const id = await makeBook(server, person)
    const { books } = server.running.opened.services
    await books.change(person.id, id, { set: { status: 'PROCESSING', version: 0, jobId: null } })
    await remove(person, id)
    expect((await undelete(person, id)).body).toMatchObject({
      status: 'FAILED',
      health: 'failed',
      healthReason: /again/,
    })
    await books.change(person.id, id, { set: { status: 'READY', version: 1 } })
  })
})

describe('the bin', () => {
  test('is listed in pages, most recently deleted first, and only for its owner', async () => {
    const person = await server.createPerson()
    const ids: string[] = []
    for (let at = 0; at < 5; at++) ids.push(await makeBook(server, person))
    for (const id of ids) await call(person, 'delete_items', { ids: [id] })
    const first = await call(person, 'list_deleted_items', { limit: 2 })
    const second = await call(person, 'list_deleted_items', { limit: 2, cursor: first.nextCursor })
    const third = await call(person, 'list_deleted_items', { limit: 2, cursor: second.nextCursor })
    const seen = [first, second, third].flatMap(({ items }) => items.map(({ id }: { id: string }) => id))
    expect(seen).toEqual(ids.toReversed())
    expect(third.nextCursor).toBeUndefined()
    const wrong = await rest.call(server, person, 'list_deleted_items', { cursor: '/' })
    expectRefusal(wrong, 'rest', { status: 400, code: 'INVALID_INPUT', message: /cursor/ })
    expect(await bin(await server.createPerson())).toEqual([])
  })

  test('does not keep a reservation without a file', async () => {
    const person = await server.createPerson()
    const { itemId } = await call(person, 'start_upload', { filename: 'a.md', size: 3, contentType: 'text/markdown' })
    await call(person, 'delete_items', { ids: [itemId] })
    expect(await bin(person)).toEqual([])
    expect(await slotsOf(person)).toMatchObject({ slots: 0, pending: [] })
  })

  test('loses a book permanently when its owner erases it; nobody else can', async () => {
    const person = await server.createPerson()
    const file = { filename: 'storks.md', bytes: new TextEncoder().encode('# Storks\n\nstork') }
    const { itemId } = await importFile(server, person, file)
    const live = await rest.call(server, person, 'erase_deleted_item', { itemId })
    expect(live.status).toBe(404)
    await call(person, 'delete_items', { ids: [itemId] })
    expect((await rest.call(server, await server.createPerson(), 'erase_deleted_item', { itemId })).status).toBe(404)
    expect(await call(person, 'erase_deleted_item', { itemId })).toEqual({ success: true })
    await expectErased(itemId)
    expect((await rest.call(server, person, 'erase_deleted_item', { itemId })).status).toBe(404)
  })

  test('loses a book after 7 days, not before', async () => {
    const person = await server.createPerson()
    const file = { filename: 'storks.md', bytes: new TextEncoder().encode('# Storks\n\nstork') }
    const { itemId } = await importFile(server, person, file)
    await call(person, 'delete_items', { ids: [itemId] })
    await emptyBins(later(6.99))
    expect(await idsInBin(person)).toEqual([itemId])
    await emptyBins(later(7.01))
    expect(await bin(person)).toEqual([])
    await expectErased(itemId)
  })

  test('keeps an entry whose file cannot be removed until it can', async () => {
    const person = await server.createPerson()
    const file = { filename: 'storks.md', bytes: new TextEncoder().encode('# Storks\n\nstork') }
    const { itemId } = await importFile(server, person, file)
    await call(person, 'delete_items', { ids: [itemId] })
    const { services } = server.running.opened
    const { files } = services
    // eslint-disable-next-line require-yield
    const broken = async function* () {
      throw new Error('the disk is gone')
    }
    services.files = { ...files, list: broken as never }
    expect(await call(person, 'erase_deleted_item', { itemId })).toEqual({ success: true, storageErrors: [itemId] })
    services.files = files
    expect(await bin(person)).toEqual([])
    expectRefusal(await rest.call(server, person, 'undelete_item', { itemId }), 'rest', {
      status: 404,
      code: 'NOT_FOUND',
      message: /Item not found/,
    })
    await emptyBins(services)
    await expectErased(itemId)
  })

  test('keeps as much as the plan allows, and always the most recently deleted book', async () => {
    const person = await tinyPerson()
    const content = 'x'.repeat(600_000)
    const ids: string[] = []
    for (let at = 0; at < 3; at++) {
      const id = await makeBook(server, person, { content })
      await call(person, 'delete_items', { ids: [id] })
      ids.push(id)
    }
    expect(await idsInBin(person)).toEqual([ids[2]])
    await expectErased(ids[0] as string)
  })
})

async function expectErased(itemId: string): Promise<void> {
  const { database, services } = server.running.opened
  const { db } = database
  expect(await db.collection('contents').countDocuments({ itemId })).toBe(0)
  expect(await db.collection<{ _id: string }>('deletedBooks').findOne({ _id: itemId })).toBeNull()
  expect(
    await db.collection<{ _id: string }>('pages').countDocuments({ _id: { $gte: `${itemId}:`, $lt: `${itemId};` } }),
  ).toBe(0)
  for await (const { key } of services.files.list(`originals/${itemId}/`)) throw new Error(`${key} is still there`)
}
