import { beforeAll, describe, expect, test } from 'vitest'
import type { Context } from '../../src/app/context.ts'
import type { Manifest } from '../../src/reading/manifest.ts'
import { reconcileWrites } from '../../src/writing/reconcile-writes.ts'
import { publishListing } from '../../src/marketplace/publish-listing.ts'
import { enrichItem } from '../../src/books/enrich-item.ts'
import { appendItemPages } from '../../src/writing/append-item-pages.ts'
import { contextOf } from '../support/context.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { makeBook } from '../support/make-book.ts'
import { subscribe } from '../support/marketplace.ts'
import type { Person } from '../support/server.ts'
import { findOwnedBook, storedPages } from '../support/stored-pages.ts'
import { createTeamClient, type TeamClient } from '../support/team-client.ts'
import { transports } from '../support/transports.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let desk: TeamClient

beforeAll(() => {
  desk = createTeamClient(server)
})

interface Scene {
  leader: Person
  /** Owns the book. */
  author: Person
  writer: Person
  team: string
  book: string
  /** The route of the share's items. */
  items: string
}

/** A member's book that is shared with a team for reading or writing. */
async function scene(accessLevel: 'READ' | 'WRITE'): Promise<Scene> {
  const [leader, author, writer] = [
    await server.createPerson(),
    await server.createPerson(),
    await server.createPerson(),
  ] as const
  const team = await desk.createTeam(leader, 'The team')
  for (const person of [author, writer]) await desk.addMember(team, person)
  const book = await makeBook(server, author, { title: 'Mine', content: '# One\n\nfirst\n# Two\n\nsecond\n' })
  await desk.shareItem(team, author, book)
  const items = `/teams/${team}/items`
  if (accessLevel === 'WRITE') await desk.call(leader, `PATCH ${items}`, { itemId: book, accessLevel })
  return { leader, author, writer, team, book, items }
}

const publish = async (person: Person, itemId: string): Promise<string> =>
  (await desk.call(person, 'POST /marketplace/listings', { itemId })).body.listing.id
const told = async (person: Person) =>
  (await desk.call(person, 'GET /user/notifications?type=item_shared')).body.notifications
const onTheMarketplace = { status: 403, code: 'FORBIDDEN', message: /on the marketplace.*only its owner/ }

describe("a leader and another member's book", () => {
  test('raising it to WRITE notifies the owner at once, with the name and the team', async () => {
    const { leader, author, book, team, items } = await scene('READ')
    expect(await told(author)).toEqual([])
    const { status, body } = await desk.call(leader, `PATCH ${items}`, { itemId: book, accessLevel: 'WRITE' })
    expect([status, body.accessLevel]).toEqual([200, 'WRITE'])
    expect(await told(author)).toMatchObject([
      {
        title: '"Mine" can be changed by a team',
        body: expect.stringMatching(new RegExp(`${leader.email.split('@')[0]}.*"The team"`)),
        metadata: { itemId: book, teamId: team, accessLevel: 'WRITE' },
      },
    ])
    await desk.call(leader, `PATCH ${items}`, { itemId: book, accessLevel: 'WRITE' })
    expect(await told(author)).toHaveLength(1)
  })

  test('the owner is notified even if the server dies before the change', async () => {
    const { leader, author, book, team } = await scene('READ')
    const { updateShare } = await import('../../src/teams/update-share.ts')
    const ctx = await contextOf(server, leader)
    const crash = new Error('crash')
    const crashing = { ...ctx, shares: { ...ctx.shares, change: () => Promise.reject(crash) } }
    await expect(updateShare(crashing, { teamId: team, itemId: book, accessLevel: 'WRITE' })).rejects.toThrow(crash)
    expect(await told(author)).toHaveLength(1)
  })

  test('widening it notifies the owner; lowering and narrowing do not', async () => {
    const { leader, author, book, team, items } = await scene('WRITE')
    await desk.createDepartment(team, leader, 'Sales')
    const before = (await told(author)).length
    for (const change of [{ departmentSlugs: ['sales'] }, { accessLevel: 'READ' }]) {
      expect((await desk.call(leader, `PATCH ${items}`, { itemId: book, ...change })).status).toBe(200)
    }
    expect(await told(author)).toHaveLength(before)
    await desk.call(leader, `PATCH ${items}`, { itemId: book, departmentSlugs: [] })
    expect((await told(author))[0]).toMatchObject({ title: '"Mine" is shared with more members of a team' })
  })

  test.for(['LIVE', 'withdrawn with readers'])('raising it to WRITE is refused while it is %s', async (state) => {
    const { leader, author, book, items } = await scene('READ')
    const listing = await publish(author, book)
    if (state !== 'LIVE') {
      await subscribe(server, await server.createPerson(), listing)
      await desk.call(author, `DELETE /marketplace/listings/${listing}`)
    }
    const refused = await desk.call(leader, `PATCH ${items}`, { itemId: book, accessLevel: 'WRITE' })
    expectRefusal(refused, 'rest', onTheMarketplace)
    expect((await desk.call(leader, `GET ${items}`)).body.items).toMatchObject([{ accessLevel: 'READ' }])
    expect(await told(author)).toEqual([])
    const narrowed = await desk.call(leader, `PATCH ${items}`, { itemId: book, accessLevel: 'READ' })
    expect(narrowed.status).toBe(200)
  })

  test('a withdrawn book that nobody has added may be raised again', async () => {
    const { leader, author, book, items } = await scene('READ')
    await desk.call(author, `DELETE /marketplace/listings/${await publish(author, book)}`)
    expect((await desk.call(leader, `PATCH ${items}`, { itemId: book, accessLevel: 'WRITE' })).status).toBe(200)
  })
})

type Call = [tool: string, input: (book: string) => Record<string, unknown>]

const writes: Call[] = [
  ['append_item_pages', (id) => ({ id, content: '# Injected\n' })],
  ['put_item_page', (id) => ({ id, pageNum: 1, content: '# Injected\n' })],
  ['put_item_content', (id) => ({ id, content: '# Injected\n' })],
  ['restore_item_version', (id) => ({ id, version: 1 })],
  ['enrich_item', (itemId) => ({ itemId, title: 'Injected', addPrompt: { prompt: 'Injected' } })],
]

describe.for(transports)('a team writer over %s', ([name, transport]) => {
  test.for(writes)('%s is refused once the owner has published the book', async ([tool, input]) => {
    const { author, writer, book } = await scene('WRITE')
    await transport.call(server, author, 'append_item_pages', { id: book, content: '# Three\n' })
    await publish(author, book)
    expectRefusal(await transport.call(server, writer, tool, input(book)), name, onTheMarketplace)
    expect(await findOwnedBook(server, author, book)).toMatchObject({ version: 2, title: 'Mine', prompts: [] })
    expect((await transport.call(server, author, tool, input(book))).ok).toBe(true)
  })

  test('is refused while people who added the book before it was withdrawn still have it', async () => {
    const { author, writer, book } = await scene('WRITE')
    const listing = await publish(author, book)
    const stranger = await server.createPerson()
    await subscribe(server, stranger, listing)
    await desk.call(author, `DELETE /marketplace/listings/${listing}`)
    const write = { id: book, content: '# Injected\n' }
    expectRefusal(await transport.call(server, writer, 'append_item_pages', write), name, onTheMarketplace)
    await desk.call(stranger, 'DELETE /marketplace/subscribe', { listingId: listing })
    expect((await transport.call(server, writer, 'append_item_pages', write)).ok).toBe(true)
  })
})

describe('a book that is published while a team writer writes', () => {
  const addition = '# Injected\n'
  let of: Scene
  let writing: Context
  let owning: Context

  const begin = async () => {
    of = await scene('WRITE')
    writing = await contextOf(server, of.writer)
    owning = await contextOf(server, of.author)
  }
  const publishNow = () => publishListing(owning, { itemId: of.book })
  /** Returns the writer's context with a step before or after its version is sealed. */
  const interrupted = (around: (seal: () => Promise<boolean>) => Promise<boolean>): Context => ({
    ...writing,
    contents: {
      ...writing.contents,
      seal: (manifest: Manifest) => around(() => writing.contents.seal(manifest)),
    },
  })
  const untouched = async () => {
    expect(await findOwnedBook(server, of.author, of.book)).toMatchObject({ version: 1 })
    expect(await writing.contents.findSealedManifest(of.book, 2)).toBeNull()
  }

  test('the edit is refused if the book was published after the check, and leaves nothing', async () => {
    await begin()
    const ctx = interrupted(async (seal) => {
      await publishNow()
      return seal()
    })
    await expect(appendItemPages(ctx, { id: of.book, content: addition })).rejects.toThrow(onTheMarketplace.message)
    await untouched()
    await appendItemPages(owning, { id: of.book, content: '# Three\n' })
    expect((await storedPages(server, of.author, { id: of.book })).join('')).not.toContain('Injected')
  })

  test('a metadata edit is refused if the book was published after the check', async () => {
    await begin()
    const ctx = {
      ...writing,
      bookEvents: writing.bookEvents,
      books: {
        ...writing.books,
        change: async (...args: Parameters<typeof writing.books.change>) => {
          if (!(await writing.listings.findByBook(of.author.id, of.book))) await publishNow()
          return writing.books.change(...args)
        },
      },
    }
    await expect(enrichItem(ctx, { itemId: of.book, title: 'Injected' })).rejects.toThrow(onTheMarketplace.message)
    expect(await findOwnedBook(server, of.author, of.book)).toMatchObject({ title: 'Mine' })
  })

  test.for<[string, () => Promise<unknown>]>([
    ["the owner's next write", () => appendItemPages(owning, { id: of.book, content: '# Three\n' })],
    [
      'the sweep',
      async () => {
        const { services } = server.running.opened
        await reconcileWrites({ ...services, now: () => new Date(Date.now() + 2 * 60 * 60 * 1000) })
        await untouched()
      },
    ],
  ])('an edit whose process died after sealing is dropped by %s', async ([, next]) => {
    await begin()
    const crash = new Error('crash')
    const ctx = interrupted(async (seal) => {
      await seal()
      throw crash
    })
    await expect(appendItemPages(ctx, { id: of.book, content: addition })).rejects.toThrow(crash)
    await publishNow()
    await next()
    expect((await storedPages(server, of.author, { id: of.book })).join('')).not.toContain('Injected')
  })

  test('an edit whose process died after sealing is kept if the book was not published', async () => {
    await begin()
    const crash = new Error('crash')
    const ctx = interrupted(async (seal) => {
      await seal()
      throw crash
    })
    await expect(appendItemPages(ctx, { id: of.book, content: addition })).rejects.toThrow(crash)
    await appendItemPages(owning, { id: of.book, content: '# Three\n' })
    expect(await findOwnedBook(server, of.author, of.book)).toMatchObject({ version: 3 })
    expect((await storedPages(server, of.author, { id: of.book })).join('')).toContain('Injected')
  })
})
