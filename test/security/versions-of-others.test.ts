import { beforeAll, describe, expect, test } from 'vitest'
import type { Context } from '../../src/app/context.ts'
import { completePurge } from '../../src/writing/complete-purge.ts'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { purgeItemVersion } from '../../src/writing/purge-item-version.ts'
import { reconcileWrites } from '../../src/writing/reconcile-writes.ts'
import { restoreItemVersion } from '../../src/writing/restore-item-version.ts'
import { contextOf } from '../support/context.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { makeBook } from '../support/make-book.ts'
import { subscribe } from '../support/marketplace.ts'
import type { Person } from '../support/server.ts'
import { signedInPerson } from '../support/signed-in-person.ts'
import { storedPages } from '../support/stored-pages.ts'
import { createTeamClient, type TeamClient } from '../support/team-client.ts'
import { rest, transports } from '../support/transports.ts'
import { useTestServer } from '../support/use-test-server.ts'
import type { WebClient } from '../support/web-client.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let desk: TeamClient
/** The reader, and the reader's browser. */
let reader: Person
let browser: WebClient

beforeAll(async () => {
  desk = createTeamClient(server)
  const { account, ...person } = await signedInPerson(server)
  const { key } = await createApiKey(server.running.opened.services, account.id, {})
  reader = { id: account.id, email: person.email, key }
  browser = person.browser
})

const texts = [
  '# Zero\n\nthe secret\n# Two\n\nkept\n',
  '# One\n\nwithout it\n# Two\n\nkept\n',
  '# One\n\nlast\n# Two\n\nkept\n',
]

/** Creates a book with a text in version 1 that the owner has removed in version 2. */
async function bookOf(owner: Person): Promise<string> {
  const id = await makeBook(server, owner, { content: texts[0] as string })
  await write(owner, id, texts[1] as string)
  return id
}

const write = async (owner: Person, id: string, content: string) => {
  const answer = await rest.call(server, owner, 'put_item_content', { id, content })
  if (!answer.ok) throw new Error(answer.text)
}

/** Returns all stored text of a book, of all versions. */
async function storedTexts(id: string): Promise<string> {
  const pages = server.running.opened.database.db.collection<{ _id: string; content: string }>('pages')
  const rows = await pages.find({ _id: { $gte: `${id}:`, $lt: `${id};` } }).toArray()
  return rows.map(({ content }) => content).join('')
}

const ways: [way: string, reach: (owner: Person, id: string) => Promise<void>][] = [
  [
    'the marketplace',
    async (owner, id) => {
      const { body } = await rest.call(server, owner, 'publish_listing', { itemId: id })
      await write(owner, id, texts[2] as string)
      await subscribe(server, reader, body.listing.id)
    },
  ],
  [
    'a team',
    async (owner, id) => {
      const team = await desk.createTeam(owner)
      await desk.addMember(team, reader)
      await desk.shareItem(team, owner, id)
      await write(owner, id, texts[2] as string)
    },
  ],
  [
    'a team, in a row of the former version',
    async (owner, id) => {
      const team = await desk.createTeam(owner)
      await desk.addMember(team, reader)
      await desk.shareItem(team, owner, id)
      const shares = server.running.opened.database.db.collection('shares')
      await shares.updateOne({ teamId: team }, { $unset: { sinceVersion: '' } })
      await write(owner, id, texts[2] as string)
    },
  ],
]

const page = (id: string, version: number) => browser.get(`/books/${id}/pages/1?v=${version}`)

describe.for(ways)('a book that became accessible to a reader by %s', ([, reach]) => {
  let owner: Person
  let id: string

  beforeAll(async () => {
    owner = await server.createPerson()
    id = await bookOf(owner)
    await reach(owner, id)
  })

  test.for(transports)('hides earlier versions over %s', async ([, transport]) => {
    const versionsFor = async (person: Person) => {
      const { body } = await transport.call(server, person, 'list_item_versions', { id })
      return body.versions.map(({ version }: { version: number }) => version)
    }
    expect(await versionsFor(reader)).toEqual([2])
    expect(await versionsFor(owner)).toEqual([2, 1])
  })

  test.for(transports)('confirms no quotation from an earlier version over %s', async ([, transport]) => {
    const check = async (person: Person, version: number, quote: string) => {
      const citations = [{ itemId: id, page: 1, version, quote }]
      return (await transport.call(server, person, 'check_citations', { citations })).body.citations[0]
    }
    expect(await check(reader, 1, 'the secret')).toMatchObject({
      found: false,
      problem: {
        code: 'VERSION_NOT_FOUND',
        message: 'Version not found. Of this book you may read the versions 2 to 3.',
      },
    })
    expect(await check(reader, 2, 'without it')).toMatchObject({ found: true })
    expect(await check(owner, 1, 'the secret')).toMatchObject({ found: true })
  })

  test('shows no page of an earlier version, and keeps those that were current since', async () => {
    for (const path of [`/books/${id}/pages/1?v=1`, `/books/${id}?v=1`]) {
      const { status, text } = await browser.get(path)
      expect(status).toBe(404)
      expect(text).not.toContain('the secret')
    }
    expect((await page(id, 2)).text).toContain('without it')
    expect((await page(id, 3)).status).toBe(200)
  })
})

test('a second way of access hides nothing that the first one allowed', async () => {
  const owner = await server.createPerson()
  const id = await bookOf(owner)
  const team = await desk.createTeam(owner)
  await desk.addMember(team, reader)
  await desk.shareItem(team, owner, id)
  await write(owner, id, texts[2] as string)
  const { body } = await rest.call(server, owner, 'publish_listing', { itemId: id })
  await subscribe(server, reader, body.listing.id)
  expect((await page(id, 2)).status).toBe(200)
  expect((await page(id, 1)).status).toBe(404)
})

test('writers of a book see all its versions', async () => {
  const owner = await server.createPerson()
  const id = await bookOf(owner)
  const team = await desk.createTeam(owner)
  await desk.addMember(team, reader)
  await desk.shareItem(team, owner, id, { accessLevel: 'WRITE' })
  expect((await page(id, 1)).text).toContain('the secret')
})

describe.for(transports)('purge_item_version over %s', ([name, transport]) => {
  /** A book that the reader added at its first version and that is now at its third. */
  const shared = async () => {
    const owner = await server.createPerson()
    const id = await makeBook(server, owner, { content: texts[0] as string })
    const team = await desk.createTeam(owner)
    await desk.addMember(team, reader)
    await desk.shareItem(team, owner, id)
    for (const text of texts.slice(1)) await write(owner, id, text)
    return { owner, id }
  }
  const purge = (person: Person, itemId: string, more: object = { confirm: true }) =>
    transport.call(server, person, 'purge_item_version', { itemId, version: 1, ...more })

  test('removes the text of an earlier version for everybody, and nothing that other versions share', async () => {
    const { owner, id } = await shared()
    expect((await page(id, 1)).text).toContain('the secret')
    const { body } = await purge(owner, id)
    expect(body).toEqual({ itemId: id, version: 1, purgedAt: expect.stringMatching(/^\d{4}-.*Z$/) })
    for (const path of [`/books/${id}/pages/1?v=1`, `/books/${id}/pages/2?v=1`, `/books/${id}?v=1`]) {
      const { status, text } = await browser.get(path)
      expect([status, text]).toEqual([404, expect.stringContaining('This version was removed by the owner.')])
    }
    expect(await storedTexts(id)).not.toContain('the secret')
    expect((await storedPages(server, owner, { id, version: 2 })).join('')).toBe(texts[1])
    expect((await page(id, 2)).status).toBe(200)
    const { body: listed } = await transport.call(server, reader, 'list_item_versions', { id })
    expect(listed.versions).toMatchObject([{ version: 2 }, { version: 1, purgedAt: body.purgedAt }])
    expect((await purge(owner, id)).body).toEqual(body)
  })

  test('a citation of it reports the removal, and it cannot be restored', async () => {
    const { owner, id } = await shared()
    await purge(owner, id)
    const citations = [{ itemId: id, page: 1, version: 1, quote: 'the secret' }]
    const checked = await transport.call(server, reader, 'check_citations', { citations })
    expect(checked.body.citations[0]).toMatchObject({
      found: false,
      problem: { code: 'VERSION_REMOVED', message: 'This version was removed by the owner.' },
    })
    const restored = await transport.call(server, owner, 'restore_item_version', { id, version: 1 })
    expectRefusal(restored, name, { status: 404, code: 'NOT_FOUND', message: /removed by the owner/ })
  })

  test.for<[string, object]>([
    ['without confirmation', {}],
    ['with confirm: false', { confirm: false }],
  ])('%s it is refused with what would be lost', async ([, more]) => {
    const { owner, id } = await shared()
    const message = /removes version 1 of \d{4}.*2 pages, 31 bytes.*confirm: true/
    expectRefusal(await purge(owner, id, more), name, { status: 400, code: 'INVALID_INPUT', message })
    expect((await page(id, 1)).status).toBe(200)
  })

  test('is for the owner only, and refuses the current text and an unknown version', async () => {
    const { owner, id } = await shared()
    const forbidden = { status: 403, code: 'FORBIDDEN', message: /Only the owner may remove a version/ }
    expectRefusal(await purge(reader, id), name, forbidden)
    const stranger = await server.createPerson()
    expectRefusal(await purge(stranger, id), name, { status: 404, code: 'NOT_FOUND', message: /Item not found/ })
    const current = await purge(owner, id, { version: 3, confirm: true })
    expectRefusal(current, name, { status: 409, code: 'CONFLICT', message: /Version 3 is the current text/ })
    const unknown = await purge(owner, id, { version: 4, confirm: true })
    expectRefusal(unknown, name, { status: 404, code: 'NOT_FOUND', message: /Version 4 not found/ })
  })
})

describe('a removal', () => {
  let owner: Person
  let id: string
  let ctx: Context
  const crash = new Error('crash')
  const purge = (as: Context) => purgeItemVersion(as, { itemId: id, version: 1, confirm: true })
  const begin = async () => {
    owner = await server.createPerson()
    id = await bookOf(owner)
    ctx = await contextOf(server, owner)
  }

  test.for(['removePages', 'removeOutline', 'endPurge'] as const)(
    'that dies at %s hides the text at once, and the sweep removes it',
    async (step) => {
      await begin()
      const crashing = { ...ctx, contents: { ...ctx.contents, [step]: () => Promise.reject(crash) } }
      await expect(purge(crashing)).rejects.toThrow(crash)
      await expect(restoreItemVersion(ctx, { id, version: 1 })).rejects.toThrow(/removed by the owner/)
      const { services } = server.running.opened
      await reconcileWrites({ ...services, now: () => new Date(Date.now() + 10 * 60_000) })
      expect(await storedTexts(id)).not.toContain('the secret')
      expect(await services.contents.listDuePurges(new Date(Date.now() + 60_000))).toEqual([])
    },
  )

  test('removes headings with the text', async () => {
    owner = await server.createPerson()
    id = await makeBook(server, owner, { content: '# The secret heading\n' })
    await write(owner, id, '# Another\n')
    ctx = await contextOf(server, owner)
    await purge(ctx)
    const outlines = await server.running.opened.database.db.collection('outlines').find().toArray()
    expect(JSON.stringify(outlines)).not.toContain('The secret heading')
    expect(JSON.stringify(outlines)).toContain('Another')
  })

  test('that comes between the check and the seal of a restore prevents it', async () => {
    await begin()
    let sealed = 0
    const seal: typeof ctx.contents.seal = async (manifest) => {
      if (sealed++ === 0) await purge(ctx)
      return ctx.contents.seal(manifest)
    }
    const restoring = { ...ctx, contents: { ...ctx.contents, seal } }
    await expect(restoreItemVersion(restoring, { id, version: 1 })).rejects.toThrow(/removed by the owner/)
    expect(await ctx.contents.findSealedManifest(id, 3)).toBeNull()
    expect(await storedTexts(id)).not.toContain('the secret')
  })

  test('that comes after a restore keeps the current pages', async () => {
    await begin()
    await restoreItemVersion(ctx, { id, version: 1 })
    await purge(ctx)
    expect((await storedPages(server, owner, { id })).join('')).toBe(texts[0])
    await completePurge(ctx, { itemId: id, version: 1, ownerId: owner.id })
    expect((await storedPages(server, owner, { id })).join('')).toBe(texts[0])
  })
})
