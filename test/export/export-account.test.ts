import { once } from 'node:events'
import { Readable } from 'node:stream'
import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { reportGap } from '../support/gaps.ts'
import { importIllustrated } from '../support/illustrated-book.ts'
import { makeBook } from '../support/make-book.ts'
import { publishBook, subscribe } from '../support/marketplace.ts'
import { readExport, requestExport, type ReadExport } from '../support/read-archive.ts'
import type { Person } from '../support/server.ts'
import { smallBooks } from '../support/small-books.ts'
import { createTeamClient } from '../support/team-client.ts'
import { rest, restTransport, type ToolResponse } from '../support/transports.ts'
import { importFile, sha256 } from '../support/uploads.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_DEFAULT_PLAN: 'PRO' })
const services = () => server.running.opened.services

async function call(person: Pick<Person, 'key'>, tool: string, input: Record<string, unknown> = {}) {
  await server.running.opened.database.db.collection('rates').deleteMany({})
  const answer: ToolResponse = await rest.call(server, person, tool, input)
  if (!answer.ok) throw new Error(`${tool} was refused: ${answer.text}`)
  return answer.body
}

/** The name of the other account. No export of another account may contain it. */
const otherName = 'Olga Otherperson'
const title = 'Whales / and: ships?'

interface Scene {
  person: Person
  other: Person
  pdf: Buffer
  imported: string
  written: string
  illustrated: string
  borrowed: string
  archive: ReadExport
}

let the: Scene

/** Creates an account with data in every place that an export reads. */
async function build(): Promise<Scene> {
  const [person, other] = [await server.createPerson(), await server.createPerson()] as const
  await services().accounts.change(other.id, { name: otherName })
  const pdf = Buffer.from(await smallBooks.pdf())
  const { itemId: imported } = await importFile(server, person, { filename: 'whales: a book?.pdf', bytes: pdf })
  await call(person, 'enrich_item', { itemId: imported, title, author: 'H. Melville', description: 'Of the sea.' })
  const { itemId: illustrated } = await importIllustrated(server, person)
  const written = (await call(person, 'create_markdown_item', { title: 'Notes', content: '# One\n\nheron\n' })).id
  await call(person, 'append_item_pages', { id: written, content: '# Two\n\nbittern 🐦\n' })
  await call(person, 'create_manuscript', { title: 'Herons', itemId: written, instructions: 'Keep it short.' })
  const shelf = await call(person, 'create_shelf', { name: 'Birds' })
  const published = await publishBook(server, other, {
    title: 'Of another person',
    content: 'Secret words of another.\n',
  })
  await subscribe(server, person, published.listingId)
  await call(person, 'add_to_shelf', { shelf: shelf.id, itemIds: [written, imported, published.itemId] })
  const { sessionId } = await call(person, 'start_access_session', { intent: 'How herons fish' })
  const inSession = restTransport({ 'X-CK-Session': sessionId })
  await inSession.call(server, person, 'read_items', { items: [{ id: written, pages: '1' }] })
  await reportGap(server, person, published.itemId, { intent: 'How do whales sleep?' })
  await call(person, 'send_report', { title: 'A report of mine', body: 'Something is wrong.' })
  await call(person, 'update_config', { planMode: 'ask' })
  await call(person, 'report_agents', { machineId: 'machine-1', agents: [] })
  const desk = createTeamClient(server)
  const team = await desk.createTeam(person, 'Readers')
  await desk.addMember(team, other)
  await desk.shareItem(team, person, written, { accessLevel: 'WRITE' })
  await call(other, 'append_item_pages', { id: written, content: '# Three\n' })
  await reportGap(server, other, written, { intent: 'Words of another reader' })
  await call(person, 'publish_listing', { itemId: written })
  const borrowed = await makeBook(server, other, { title: 'Of the team', content: 'Shared with the team.\n' })
  await desk.shareItem(team, other, borrowed)
  await services().suggestions.add({
    id: `s${person.id}`,
    accountId: person.id,
    work: 'w',
    title: 'A wish',
    author: null,
    reason: 'Missing.',
    createdAt: new Date(),
  })
  const draft = { accountId: person.id, itemId: written, place: '1', content: 'typed, not saved', version: 1 }
  await services().drafts.save({ ...draft, revision: 'r', at: new Date() }, null)
  services().readingPositions.save(person.id, written, { page: 1, of: 2, version: 1, at: new Date() })
  await services().readingPositions.flush()
  return { person, other, pdf, imported, written, illustrated, borrowed, archive: await readExport(server, person) }
}

async function storageKeyOf(person: Person, itemId: string): Promise<string> {
  const [book] = await services().books.findOwned(person.id, [itemId])
  return book?.original?.storageKey ?? ''
}

/** Delays the bytes of a stored file after the first ones, until its reader has disconnected. */
async function holdFile(held: string): Promise<void> {
  const { files } = services()
  const read = files.read.bind(files)
  vi.spyOn(files, 'read').mockImplementation(async function* (key, signal, range) {
    if (key !== held) return yield* read(key, signal, range)
    yield Buffer.from('#')
    await once(signal as AbortSignal, 'abort')
    throw signal?.reason
  })
}

const folder = (archive: ReadExport, named: string) => {
  const path = [...archive.files.keys()].find((name) => name.startsWith('books/') && name.includes(named))
  if (!path) throw new Error(`no folder for ${named}`)
  return path.split('/').slice(0, 2).join('/')
}

beforeAll(async () => {
  the = await build()
}, 60_000)
afterEach(() => vi.restoreAllMocks())

describe('the export of an account', () => {
  test('lists every file with its size and hash, and its contents', () => {
    const { files, manifest } = the.archive
    expect([...files.keys()].at(-1)).toBe('manifest.json')
    expect(manifest).toMatchObject({
      format: 'lectern-export',
      formatVersion: 1,
      server: server.baseUrl,
      account: { email: the.person.email },
      absent: [],
      counts: {
        books: 3,
        originals: 2,
        texts: 3,
        versionTexts: 2,
        figures: 2,
        shelves: 1,
        sessions: 1,
        manuscripts: 1,
        subscriptions: 1,
        listings: 1,
        requests: 1,
        suggestions: 1,
        reports: 1,
        drafts: 1,
        teams: 1,
      },
    })
    const named = manifest.files.map(({ path, bytes, sha256: hash }) => [path, bytes, hash])
    const found = [...files].filter(([path]) => path !== 'manifest.json')
    expect(named).toEqual(found.map(([path, bytes]) => [path, bytes.length, sha256(bytes)]))
  })

  test('contains the file of a book byte for byte under a portable name', () => {
    const at = folder(the.archive, 'Whales')
    expect(at).toMatch(/^books\/\d{4} Whales and ships$/)
    expect(the.archive.files.get(`${at}/original/whales a book .pdf`)?.equals(the.pdf)).toBe(true)
    expect(the.archive.json(`${at}/book.json`)).toMatchObject({
      id: the.imported,
      title,
      author: 'H. Melville',
      description: 'Of the sea.',
      original: { filename: 'whales: a book?.pdf', sha256: sha256(the.pdf), bytes: the.pdf.length },
    })
    expect(the.archive.files.get(`${at}/text.md`)?.toString()).toContain('speaks of whales')
  })

  test('contains the text and the earlier texts of a written book', () => {
    const at = folder(the.archive, 'Notes')
    const text = (name: string) => the.archive.files.get(`${at}/${name}`)?.toString()
    expect(text('text.md')).toBe('# One\n\nheron\n# Two\n\nbittern 🐦\n# Three\n')
    expect([text('versions/1.md'), text('versions/2.md')]).toEqual([
      '# One\n\nheron\n',
      '# One\n\nheron\n# Two\n\nbittern 🐦\n',
    ])
    const { versions } = the.archive.json(`${at}/book.json`)
    expect(versions.map(({ version, writtenBy, reason }: any) => [version, writtenBy, reason])).toEqual([
      [3, 'another account', 'append'],
      [2, 'you', 'append'],
      [1, 'you', 'create'],
    ])
  })

  test('contains the figures of a book at the paths in its text', () => {
    const at = folder(the.archive, 'Illustrated')
    const shown = /!\[[^\]]*\]\((figures\/[^)]+)\)/.exec(String(the.archive.files.get(`${at}/text.md`)))?.[1]
    expect(the.archive.files.get(`${at}/${shown}`)?.length).toBeGreaterThan(100)
  })

  test('contains shelves, research, requests and settings', () => {
    const { json } = the.archive
    expect(json('shelves.json')).toEqual([
      expect.objectContaining({
        name: 'Birds',
        books: expect.arrayContaining([
          { id: the.written, title: 'Notes', owner: 'you' },
          expect.objectContaining({ title: 'Of another person', owner: 'another account' }),
        ]),
      }),
    ])
    expect(json('research/sessions.json')).toEqual([
      expect.objectContaining({ intent: 'How herons fish', books: [expect.objectContaining({ itemId: the.written })] }),
    ])
    expect(json('research/report.json').booksRead).toEqual([expect.objectContaining({ title: 'Notes', pages: 1 })])
    expect(json('research/reading-positions.json')).toEqual([expect.objectContaining({ itemId: the.written, page: 1 })])
    expect(json('manuscripts.json')).toEqual([
      expect.objectContaining({ title: 'Herons', instructions: 'Keep it short.' }),
    ])
    expect(json('requests.json')).toEqual([expect.objectContaining({ intent: 'How do whales sleep?' })])
    expect(json('suggestions.json')).toEqual([expect.objectContaining({ title: 'A wish' })])
    expect(json('reports.json')).toEqual([expect.objectContaining({ title: 'A report of mine' })])
    expect(json('drafts.json')).toEqual([expect.objectContaining({ content: 'typed, not saved' })])
    expect(json('subscriptions.json')).toEqual([expect.objectContaining({ title: 'Of another person' })])
    expect(json('listings.json')).toEqual([expect.objectContaining({ itemId: the.written })])
    expect(json('account.json')).toMatchObject({
      id: the.person.id,
      email: the.person.email,
      teams: [{ name: 'Readers', role: 'OWNER' }],
      agents: { settings: { planMode: 'ask' }, machines: [expect.objectContaining({ machineId: 'machine-1' })] },
    })
  })

  test('contains nothing of other people and no secret', async () => {
    const { db } = server.running.opened.database
    const key = await db.collection('keys').findOne({ accountId: the.person.id })
    const all = [...the.archive.files].map(([path, bytes]) => `${path}\n${bytes.toString('latin1')}`).join('\n')
    const ofOthers = [otherName, the.other.email, the.other.id, the.borrowed, 'Of the team', 'Secret words of another']
    const secrets = [the.person.key, String(key?._id), 'storageKey', 'originals/']
    for (const text of [...ofOthers, ...secrets, 'Words of another reader'])
      expect(all.includes(text), text).toBe(false)
  })

  test('costs no reads', async () => {
    const person = await server.createPerson({ plan: 'FREE' })
    await makeBook(server, person)
    await readExport(server, person)
    expect((await call(person, 'whoami')).monthlyReadsUsed).toBe(0)
  })

  test('of an empty account is complete', async () => {
    const { manifest } = await readExport(server, await server.createPerson())
    expect(manifest.counts).toMatchObject({ books: 0, shelves: 0, sessions: 0 })
  })
})

describe('what is missing in an export', () => {
  test('is a file that is missing on the server: it is listed, and the rest is included', async () => {
    const person = await server.createPerson()
    const { itemId } = await importFile(server, person, { filename: 'lost.md', bytes: Buffer.from('# Lost\n') })
    const key = await storageKeyOf(person, itemId)
    await services().files.delete(key)
    const { manifest, files, json } = await readExport(server, person)
    expect(manifest.absent).toEqual([
      { what: expect.stringMatching(/original\/lost\.md$/), reason: expect.any(String) },
    ])
    const at = folder({ files } as ReadExport, '')
    expect(json(`${at}/book.json`).original).toMatchObject({ path: null, filename: 'lost.md' })
    expect(String(files.get(`${at}/text.md`))).toBe('# Lost\n')
    // The checks of the test server need this file.
    const body = Readable.from([Buffer.from('# Lost\n')])
    await services().files.put(key, body, { contentType: 'text/markdown', maxBytes: 100 })
  })

  test('are listings, for a key without the scope', async () => {
    const { key } = await createApiKey(services(), the.person.id, { scopes: ['library:read'] })
    const { manifest, files } = await readExport(server, { key })
    expect(files.has('listings.json')).toBe(false)
    expect(manifest.absent.map(({ what }) => what)).toEqual(['listings.json'])
  })

  test('is the data after a failure: the response is aborted, not truncated', async () => {
    const person = await server.createPerson()
    await importFile(server, person, { filename: 'torn.md', bytes: Buffer.from('# Torn\n') })
    const { files } = services()
    vi.spyOn(files, 'read').mockImplementation(async function* () {
      yield Buffer.from('# To')
      throw new Error('no disk')
    })
    const response = await requestExport(server, person)
    expect(response.status).toBe(200)
    await expect(response.arrayBuffer()).rejects.toThrow()
    vi.restoreAllMocks()
    expect((await readExport(server, person)).manifest.counts['books']).toBe(1)
  })
})

describe('concurrent exports', () => {
  test('one per account: the next is refused until the client of the first has disconnected', async () => {
    const person = await server.createPerson()
    const { itemId } = await importFile(server, person, { filename: 'slow.md', bytes: Buffer.from('# Slow\n') })
    await holdFile(await storageKeyOf(person, itemId))
    const client = new AbortController()
    const first = await requestExport(server, person, { signal: client.signal })
    const second = await requestExport(server, person)
    expect([first.status, second.status]).toEqual([200, 429])
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await second.json()).toMatchObject({ code: 'RATE_LIMITED', error: expect.stringContaining('retry') })
    // Exports of other accounts are not delayed.
    expect((await readExport(server, the.person)).manifest.counts['books']).toBe(3)
    client.abort()
    const again = await vi.waitUntil(async () => {
      const response = await requestExport(server, person, { signal: AbortSignal.timeout(2000) })
      if (response.status === 200) await response.body?.cancel()
      return response.status === 200
    })
    expect(again).toBe(true)
  })

  test('of other accounts, however many nobody reads, keep none from an account', async () => {
    const others = Array.from({ length: 40 }, (_, n) => services().exports.take(`other ${n}`))
    onTestFinished(async () => (await Promise.all(others)).forEach((release) => release?.()))
    expect((await readExport(server, the.person)).manifest.counts['books']).toBe(3)
  })

  test('is refused without a credential, and without the scope', async () => {
    const { key } = await createApiKey(services(), the.person.id, { scopes: ['marketplace:read'] })
    expect((await requestExport(server, { key })).status).toBe(403)
    expect((await requestExport(server, { key: 'useless' })).status).toBe(401)
  })
})
