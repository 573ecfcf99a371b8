import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createAccount } from '../../src/accounts/create-account.ts'
import { createAccountContext } from '../../src/admin/commands/account-context.ts'
import { readConfig } from '../../src/app/config.ts'
import type { Context } from '../../src/app/context.ts'
import { createLog } from '../../src/app/log.ts'
import { openServices, type OpenedServices } from '../../src/app/services.ts'
import { publishListing } from '../../src/marketplace/publish-listing.ts'
import { enrichItem } from '../../src/books/enrich-item.ts'
import { indexBook } from '../../src/search/index/index-book.ts'
import { putItemPage } from '../../src/writing/put-item-page.ts'
import { createMarkdownItem } from '../../src/writing/create-markdown-item.ts'
import { markdownPages } from '../support/make-book.ts'

/** The commands that the embedded store receives while books are indexed. */

let directory: string
let opened: OpenedServices
let ctx: Context
const commands: string[] = []

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lectern-test-'))
  const config = readConfig({ LECTERN_DATA_DIR: directory, LECTERN_LOG_LEVEL: 'silent' })
  opened = await openServices(config, { monitorCommands: true })
  const account = await createAccount(opened.services, { email: 'indexing@lectern.example', plan: 'SELF_HOSTED' })
  ctx = createAccountContext({ services: opened.services, log: createLog('silent') }, account)
  opened.database.client.on('commandStarted', ({ commandName, command }) =>
    commands.push(`${commandName} ${command[commandName]}`),
  )
  await create('numbat')
})

afterAll(async () => {
  await opened?.close()
  await rm(directory, { recursive: true, force: true })
})

beforeEach(() => commands.splice(0))

const create = async (word: string) => {
  const content = `${markdownPages(3)}\n# Last\n\n${word}\n`
  return (await createMarkdownItem(ctx, { title: 'A Book', content })).id
}
const count = (collection: string) => opened.database.db.collection(collection).countDocuments({})
const search = ['search_books', 'search_libraries', 'search_pages', 'search_segments', 'search_words']

test('indexing a further book of a library does not read the library again', async () => {
  const id = await create('quokka')
  await ctx.books.markIndexDue(ctx.actor.id, id)
  commands.splice(0)
  await indexBook(ctx, { id, ownerId: ctx.actor.id })
  expect(commands.filter((command) => command === 'find search_libraries')).toEqual([])
  expect(commands.filter((command) => command === 'find search_books')).toHaveLength(1)
})

test('indexing a new book reads nothing that the call has stored', async () => {
  const id = await create('dunnart')
  const reads = new Set(['books', 'contents', 'outlines', 'pages', ...search].map((name) => `find ${name}`))
  expect(commands.filter((command) => reads.has(command))).toEqual([])
  expect((await ctx.search.books.find(ctx.actor.id, [id]))[0]?.version).toBe(1)
  // What is cached for the new version is what is stored.
  expect(await ctx.contents.getManifest(id, 1)).toEqual(await ctx.contents.findSealedManifest(id, 1))
})

test('indexing an edit reads all units that the book keeps with one command', async () => {
  const id = await create('potoroo')
  for (const pageNum of [1, 2]) {
    await putItemPage(ctx, { id, pageNum, content: `# Page ${pageNum}\n\nedited${pageNum}\n` })
    commands.splice(0)
    await indexBook(ctx, { id, ownerId: ctx.actor.id })
    expect(commands.filter((command) => command === 'find search_pages')).toHaveLength(1)
  }
  const [indexed] = await ctx.search.books.find(ctx.actor.id, [id])
  expect(indexed?.units).toHaveLength(3)
})

test('the rows of completed work are deleted together', async () => {
  await ctx.search.work.flush()
  const before = await count('search_work')
  commands.splice(0)
  for (let book = 0; book < 3; book++) await create(`bilby${book}`)
  await ctx.search.work.flush()
  expect(commands.filter((command) => command === 'insert search_work')).toHaveLength(3)
  expect(commands.filter((command) => command === 'delete search_work')).toHaveLength(1)
  expect(await count('search_work')).toBe(before)
})

test('books of an owner without listings are not looked for on the marketplace', async () => {
  const id = await create('wombat')
  expect(commands.filter((command) => command.endsWith(' listings'))).toEqual([])
  await publishListing(ctx, { itemId: id })
  await enrichItem(ctx, { itemId: id, title: 'A New Title' })
  expect(await ctx.listings.findByBook(ctx.actor.id, id)).toMatchObject({ item: { title: 'A New Title' } })
})
