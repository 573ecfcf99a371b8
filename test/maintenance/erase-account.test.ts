import { describe, expect, test } from 'vitest'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { closeAccount, reopenAccount } from '../../src/accounts/close-account.ts'
import { createBookEvents } from '../../src/app/events.ts'
import { collectPagesToRecognise } from '../../src/imports/pages-to-recognise.ts'
import { emptyPageCounts } from '../../src/text/page-counts.ts'
import { newId } from '../../src/core/ids.ts'
import { eraseClosedAccounts } from '../../src/maintenance/erase-account.ts'
import { issueLink } from '../../src/accounts/issue-link.ts'
import type { Account } from '../../src/core/account.ts'
import { runChecks } from '../../src/admin/doctor/run-checks.ts'
import type { Services } from '../../src/app/context.ts'
import { refreshStaleIndex } from '../../src/search/index/refresh-stale-index.ts'
import { mcp, rest, type ToolResponse } from '../support/transports.ts'
import { publishBook } from '../support/marketplace.ts'
import { registerProgram } from '../support/oauth.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { createTeamClient } from '../support/team-client.ts'
import type { WebClient } from '../support/web-client.ts'
import { importFile } from '../support/uploads.ts'
import { signedInPerson } from '../support/signed-in-person.ts'

const dayMs = 24 * 60 * 60 * 1000
const log = { debug() {}, info() {}, warn() {}, error() {} }

const server = useTestServer()

/** Returns the services of the server with the clock advanced by some days. */
function later(days: number): Services & { log: typeof log } {
  return { ...server.running.opened.services, now: () => new Date(Date.now() + days * dayMs), log }
}

type Owner = Person & { account: Account; browser: WebClient }

async function owner(): Promise<Owner> {
  const { services } = server.running.opened
  const { account, email, browser } = await signedInPerson(server)
  const { key } = await createApiKey(services, account.id, {})
  return { id: account.id, email, key, account, browser }
}

async function call(person: Pick<Person, 'key'>, tool: string, input: Record<string, unknown> = {}) {
  const answer: ToolResponse = await rest.call(server, person, tool, input)
  if (!answer.ok) throw new Error(`${tool} was refused: ${answer.text}`)
  return answer.body
}

/** Stores data of a person in every collection that can hold some. */
async function liveHere(person: Owner): Promise<{ itemId: string }> {
  const { services } = server.running.opened
  const { id: itemId } = await call(person, 'create_markdown_item', { title: 'Mine', content: '# One\n\nheron' })
  await call(person, 'append_item_pages', { id: itemId, content: '# Two\n\nbittern' })
  const bytes = new TextEncoder().encode('# From a file\n\nstork')
  await importFile(server, person, { filename: 'file.md', bytes })
  const thrown = await importFile(server, person, { filename: 'thrown.md', bytes: new TextEncoder().encode('heron') })
  await call(person, 'delete_items', { ids: [thrown.itemId] })
  await call(person, 'start_upload', { filename: 'waiting.md', size: 3, contentType: 'text/markdown' })
  const shelf = await call(person, 'create_shelf', { name: 'Birds' })
  await call(person, 'add_to_shelf', { shelf: shelf.id, itemIds: [itemId] })
  await call(person, 'create_manuscript', { title: 'Herons', itemId })
  const { sessionId } = await call(person, 'start_access_session', { intent: 'herons' })
  expect(sessionId).toBeTruthy()
  await call(person, 'read_items', { items: [{ id: itemId, pages: '1' }] })
  await call(person, 'search_items', { query: 'heron' })
  await call(person, 'update_config', { planMode: 'ask' })
  await services.embeddings.mark({ id: itemId, ownerId: person.id }, 1, new Date())
  const vector = { values: new Int8Array([127]), scale: 1 }
  await services.embeddings.writePart({
    id: newId(),
    bookId: itemId,
    ownerId: person.id,
    names: ['r:0'],
    vectors: [vector],
  })
  await services.embeddings.announce(person.id)
  await call(person, 'report_agents', { machineId: 'machine-1', agents: [] })
  await call(person, 'send_report', { title: 'A bug', body: 'It is.' })
  await issueLink(services, 'reset', person.id)
  await call(person, 'publish_listing', { itemId })
  const { listingId } = await publishBook(server, await server.createPerson())
  await call(person, 'subscribe_marketplace', { listingId })
  const { team } = await call(person, 'create_team', { name: 'Birds' })
  await createTeamClient(server).addMember(team.id, await server.createPerson())
  await call(person, 'share_item', { teamId: team.id, itemId })
  await call(person, 'invite_team_member', { teamId: team.id, email: 'guest@lectern.example' })
  await call(person, 'report_book_gap', { itemId, intent: 'Herons at night', category: 'other', subcategory: 'Night' })
  await mcp.call(server, person, 'suggest_book', { title: 'Bitterns', reason: 'There is none.' })
  await person.browser.get(`/books/${itemId}/pages/1`, { 'Sec-Fetch-Site': 'same-origin' })
  await services.readingPositions.flush()
  await services.watches.record(person.id, { name: 'herons.md', signature: '3:1' }, services.now())
  const watch = { holder: 'h', now: services.now(), until: services.now() }
  await services.watches.hold(person.id, watch)
  const draft = { accountId: person.id, itemId, place: '1', content: '# Typed', version: 1 }
  await services.drafts.save({ ...draft, revision: 'r', at: services.now() }, null)
  await waitForRecognition(person.id, itemId)
  await (await registerProgram(server)).connect(person.browser)
  return { itemId }
}

/** Marks the first page of a book as waiting for recognition, like a scan. */
async function waitForRecognition(accountId: string, itemId: string): Promise<void> {
  const { services } = server.running.opened
  const [book] = await services.books.findOwned(accountId, [itemId])
  if (!book) throw new Error('the book is gone')
  const ocr = { recogniser: { recognise: () => Promise.reject(new Error('never')) } as never, maxPages: 1 }
  const toRecognise = collectPagesToRecognise({ ...services, ocr }, { ...book, sourceType: 'pdf' })
  await toRecognise.take([{ content: '', label: null, picture: true, garbled: 0 }], 1)
  await toRecognise.plan(emptyPageCounts())
}

/** Returns whether any value of a row, including its id and keys, contains one of these texts. */
function mentions(row: unknown, texts: readonly string[]): boolean {
  const source = JSON.stringify(row)
  return texts.some((text) => source.includes(text))
}

/** Returns the collections with rows that contain one of these texts. */
async function collectionsMentioning(texts: readonly string[]): Promise<string[]> {
  const { db } = server.running.opened.database
  const found: string[] = []
  for (const { name } of await db.listCollections().toArray()) {
    for await (const row of db.collection(name).find()) {
      if (!mentions(row, texts)) continue
      found.push(name)
      break
    }
  }
  return found.sort()
}

/**
 * Collections whose rows name no account: texts and indexes of books, and rows that expire long before the grace period
 * ends.
 */
const nameless = new Set([
  'agenda',
  'agenda_logs',
  'departments',
  'idempotency',
  'installation',
  'lectern_instance',
  'marketplace',
  'outlines',
  'pageReads',
  'pages',
  'search_pages',
  'search_segments',
  'uploads',
  'writes',
])

describe('a closed account', () => {
  test('is erased from every collection after the grace period', async () => {
    const person = await owner()
    const neighbour = await owner()
    await liveHere(person)
    await liveHere(neighbour)
    const texts = [person.id, person.email]
    const { db } = server.running.opened.database
    const all = (await db.listCollections().toArray()).map(({ name }) => name)
    const mentioned = await collectionsMentioning(texts)
    // If a new collection is listed here, change `liveHere` so that it stores a row in it.
    expect(all.filter((name) => !mentioned.includes(name) && !nameless.has(name))).toEqual([])

    const before = await collectionsMentioning([neighbour.id, neighbour.email])
    await closeAccount(server.running.opened.services, person.account)
    await eraseClosedAccounts(later(8))
    // Replaced index parts are removed a minute later, by the next sweep.
    for (const days of [8, 9, 10]) await refreshStaleIndex(later(days))
    await dropExpired(8)
    // The audit log names accounts by id only, and keeps its entries.
    expect(await collectionsMentioning(texts)).toEqual(['audit'])
    expect(await collectionsMentioning([person.email])).toEqual([])
    // After eight days these collections are empty.
    const kept = before.filter((name) => !['rates', 'search_work', 'tickets'].includes(name))
    expect(await collectionsMentioning([neighbour.id, neighbour.email])).toEqual(kept)
    expect((await call(neighbour, 'search_items', { query: 'heron' })).total).toBe(1)
  })

  test('is kept during the grace period and can be reopened', async () => {
    const person = await owner()
    const { services } = server.running.opened
    const { id } = await call(person, 'create_markdown_item', { title: 'Kept', content: 'bittern' })
    await closeAccount(services, person.account)
    await eraseClosedAccounts(later(6.9))
    await reopenAccount(services, person.account)
    await eraseClosedAccounts(later(30))
    expect((await call(person, 'get_item_content', { id })).content).toBe('bittern')
  })

  test('cannot be reopened after its erasure has begun', async () => {
    const person = await owner()
    const { services } = server.running.opened
    await closeAccount(services, person.account)
    await services.accountClosures.beginErasure(person.id, new Date(Date.now() + dayMs))
    await expect(reopenAccount(services, person.account)).rejects.toMatchObject({ code: 'CONFLICT' })
    await eraseClosedAccounts(later(8))
    expect(await services.accounts.byId(person.id)).toBeNull()
  })

  test('keeps the date of its first deletion', async () => {
    const person = await owner()
    const { services } = server.running.opened
    const first = await closeAccount(services, person.account)
    const second = await closeAccount({ ...services, now: () => new Date(Date.now() + dayMs) }, person.account)
    expect(second).toEqual(first)
    await reopenAccount(services, person.account)
  })

  test('releases its email address after its erasure', async () => {
    const person = await owner()
    const { services } = server.running.opened
    await closeAccount(services, person.account)
    await eraseClosedAccounts(later(8))
    await services.accounts.create({ ...person.account, id: `${person.id}2` })
    expect((await services.accounts.byEmail(person.email))?.id).toBe(`${person.id}2`)
  })

  test('is named "a former user" as the author of versions in other accounts\' books', async () => {
    const [person, host] = [await owner(), await owner()]
    const { id } = await call(host, 'create_markdown_item', { title: 'Shared', content: 'one' })
    const { db } = server.running.opened.database
    await db.collection('contents').updateOne({ itemId: id, version: 1 }, { $set: { createdBy: person.id } })
    await call(host, 'put_item_content', { id, content: 'two' })
    const author = async () => (await call(host, 'list_item_versions', { id })).versions[0].createdBy
    expect(await author()).toBe(person.account.name)
    await closeAccount(server.running.opened.services, person.account)
    await eraseClosedAccounts(later(8))
    expect(await author()).toBe('a former user')
  })

  test('keeps its row while a file cannot be removed', async () => {
    const person = await owner()
    const { services } = server.running.opened
    const bytes = new TextEncoder().encode('# A file')
    const { itemId } = await importFile(server, person, { filename: 'file.md', bytes })
    await closeAccount(services, person.account)
    const broken = Object.assign(Object.create(services.files), { delete: () => Promise.reject(new Error('no disk')) })
    await eraseClosedAccounts({ ...later(8), files: broken })
    expect(await services.books.findOwned(person.id, [itemId])).toEqual([])
    expect(await services.accounts.byId(person.id)).not.toBeNull()
    await eraseClosedAccounts(later(8))
    expect(await services.accounts.byId(person.id)).toBeNull()
    const left = []
    for await (const { key } of services.files.list(`originals/${itemId}/`)) left.push(key)
    expect(left).toEqual([])
  })

  test('is erased completely by the next sweep, wherever the first one crashed', { timeout: 120_000 }, async () => {
    const { services, database } = server.running.opened
    let calls = 1
    for (let died = true; died; calls++) {
      const person = await owner()
      await call(person, 'create_markdown_item', { title: 'A', content: 'heron' })
      await call(person, 'create_shelf', { name: 'Birds' })
      await closeAccount(services, person.account)
      died = await eraseUntil(calls)
      await eraseClosedAccounts(later(8))
      await refreshStaleIndex(later(9))
      await dropExpired(9)
      expect(await collectionsMentioning([person.id, person.email]), `after ${calls} calls`).toEqual(['audit'])
      const { checks } = await runChecks({ db: database.db, services, deep: false })
      expect(
        checks.filter(({ ok }) => !ok),
        `after ${calls} calls`,
      ).toEqual([])
    }
    expect(calls).toBeGreaterThan(30)
  })
})

/**
 * Runs the erasure in a process that stops permanently at its nth store call. Returns false if the erasure ended before
 * that.
 */
async function eraseUntil(calls: number): Promise<boolean> {
  let left = calls
  const dead = Promise.withResolvers<true>()
  const watched = <T extends object>(store: T): T =>
    new Proxy(store, {
      get(target, name) {
        const value = Reflect.get(target, name)
        if (typeof value === 'object' && value !== null) return watched(value)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          if (--left > 0) return Reflect.apply(value, target, args)
          dead.resolve(true)
          return new Promise(() => {})
        }
      },
    })
  const { now, log: silent, ...stores } = later(8)
  const mortal = Object.fromEntries(
    Object.entries(stores).map(([name, store]) => [name, typeof store === 'object' && store ? watched(store) : store]),
  )
  const services = { ...(mortal as unknown as Services), now }
  const erased = eraseClosedAccounts({ ...services, bookEvents: createBookEvents(services, silent), log: silent })
  return Promise.race([erased.then(() => false), dead.promise])
}

/** Removes expired rows, as the store does in the background. */
async function dropExpired(days: number): Promise<void> {
  const { db } = server.running.opened.database
  for (const name of ['rates', 'idempotency', 'tickets', 'webSessions']) {
    await db.collection(name).deleteMany({ expiresAt: { $lt: new Date(Date.now() + days * dayMs) } })
  }
}
