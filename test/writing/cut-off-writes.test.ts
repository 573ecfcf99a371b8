import { beforeAll, expect, test } from 'vitest'
import { eraseDeletedItem } from '../../src/books/erase-deleted-item.ts'
import { deleteItems } from '../../src/books/delete-items.ts'
import type { Context } from '../../src/app/context.ts'
import { AppError } from '../../src/core/errors.ts'
import type { Manifest } from '../../src/reading/manifest.ts'
import { appendItemPages } from '../../src/writing/append-item-pages.ts'
import { putItemContent } from '../../src/writing/put-item-content.ts'
import { putItemPage } from '../../src/writing/put-item-page.ts'
import { reconcileWrites } from '../../src/writing/reconcile-writes.ts'
import { createWriteStore } from '../../src/writing/store.ts'
import { makeBook } from '../support/make-book.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { contextOf } from '../support/context.ts'
import { findOwnedBook, storedPages } from '../support/stored-pages.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let person: Person
let ctx: Context
/** The context of another process, whose writes are not serialised with those of `ctx`. */
let elsewhere: Context

beforeAll(async () => {
  person = await server.createPerson()
  const { database } = server.running.opened
  ctx = await contextOf(server, person)
  elsewhere = { ...ctx, writes: createWriteStore(database.db) }
})

const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: unknown) => (error instanceof AppError ? error.code : error),
  )

/** Runs a write that crashes after sealing, before the version is published. */
async function sealOnly(id: string, content: string): Promise<void> {
  const dead: Context = {
    ...ctx,
    books: { ...ctx.books, change: () => Promise.reject(new Error('dead')) },
    writes: { ...ctx.writes, end: () => Promise.reject(new Error('dead')) },
  }
  expect(await code(putItemPage(dead, { id, pageNum: 1, content }))).toMatchObject({ message: 'dead' })
  expect(await findOwnedBook(server, person, id)).toMatchObject({ version: 1 })
}

const pagesOf = (id: string) => storedPages(server, person, { id })
const later = () => new Date(Date.now() + 2 * 60 * 60_000)

test('a writer that crashed before publishing does not block the next write', async () => {
  const id = await makeBook(server, person, { content: '# A\n# B\n' })
  await sealOnly(id, '# A2\n')
  expect(await pagesOf(id)).toEqual(['# A\n', '# B\n'])
  expect(await appendItemPages(ctx, { id, content: '# C\n' })).toMatchObject({ version: 3, pageCount: 3 })
  expect(await pagesOf(id)).toEqual(['# A2\n', '# B\n', '# C\n'])
})

test('the version sealed by a crashed writer is published before the next write, which then conflicts', async () => {
  const id = await makeBook(server, person, { content: '# A\n# B\n' })
  await sealOnly(id, '# A2\n')
  const stale = appendItemPages(ctx, { id, content: '# C\n', expectedVersion: 1 })
  await expect(stale).rejects.toMatchObject({
    code: 'VERSION_CONFLICT',
    details: { currentVersion: 2, changedPages: [1] },
  })
  expect(await pagesOf(id)).toEqual(['# A2\n', '# B\n'])
})

test('without another write the sweep publishes the sealed version', async () => {
  const id = await makeBook(server, person, { content: '# A\n# B\n' })
  await sealOnly(id, '# A2\n')
  await reconcileWrites({ ...ctx, now: later })
  expect(await pagesOf(id)).toEqual(['# A2\n', '# B\n'])
  expect(await findOwnedBook(server, person, id)).toMatchObject({ version: 2 })
  expect(await ctx.writes.listAbandoned(later())).toEqual([])
})

test('pages of a writer that crashed before sealing are removed by the sweep only after an hour', async () => {
  const id = await makeBook(server, person, { content: '# A\n' })
  const dead: Context = {
    ...ctx,
    contents: {
      ...ctx.contents,
      seal: () => Promise.reject(new Error('dead')),
      discardPages: () => Promise.reject(new Error('dead')),
    },
  }
  expect(await code(appendItemPages(dead, { id, content: '# B\n' }))).toMatchObject({ message: 'dead' })
  const [abandoned] = await ctx.writes.listAbandoned(later())
  expect(abandoned).toMatchObject({ ownerId: person.id, itemId: id })
  const stored = async () => (await ctx.contents.storedPageIds(id, abandoned?.revision ?? '')).size
  await reconcileWrites(ctx)
  expect(await stored()).toBe(1)
  await reconcileWrites({ ...ctx, now: later })
  expect(await stored()).toBe(0)
  expect(await ctx.writes.listAbandoned(later())).toEqual([])
})

test('a write to a book that is deleted meanwhile is refused, and nothing is left when the book is erased', async () => {
  const id = await makeBook(server, person, { content: '# A\n' })
  const overtaken: Context = {
    ...ctx,
    contents: {
      ...ctx.contents,
      async seal(manifest) {
        const sealed = await ctx.contents.seal(manifest)
        await deleteItems(ctx, { ids: [id] })
        return sealed
      },
    },
  }
  expect(await code(putItemContent(overtaken, { id, content: '# B\n' }))).toBe('NOT_FOUND')
  // The book is in the bin. Erasing it removes everything.
  await eraseDeletedItem(ctx, { itemId: id })
  expect(await ctx.contents.listVersions(id)).toEqual([])
  const pages = server.running.opened.database.db.collection<{ _id: string }>('pages')
  expect(await pages.countDocuments({ _id: { $regex: `^${id}:` } })).toBe(0)
})

test('a write that always collides is refused after 2 seconds and stores nothing', async () => {
  const id = await makeBook(server, person, { content: '# A\n' })
  let others = 0
  const slow: Context = {
    ...ctx,
    contents: {
      ...ctx.contents,
      async seal(manifest: Manifest) {
        await putItemPage(elsewhere, { id, pageNum: 1, content: `# ${++others}\n` })
        return ctx.contents.seal(manifest)
      },
    },
  }
  await expect(appendItemPages(slow, { id, content: '# B\n' })).rejects.toMatchObject({
    code: 'TRANSIENT_CONFLICT',
    retryAfterSeconds: 1,
    details: { retryAfterSeconds: 1 },
  })
  expect(others).toBeGreaterThan(2)
  expect(await pagesOf(id)).toEqual([`# ${others}\n`])
  expect(await ctx.writes.listAbandoned(later())).toEqual([])
})

test('a write with an expected version that collides is refused at once', async () => {
  const id = await makeBook(server, person, { content: '# A\n' })
  let others = 0
  const slow: Context = {
    ...ctx,
    contents: {
      ...ctx.contents,
      async seal(manifest: Manifest) {
        await putItemPage(elsewhere, { id, pageNum: 1, content: `# ${++others}\n` })
        return ctx.contents.seal(manifest)
      },
    },
  }
  expect(await code(appendItemPages(slow, { id, content: '# B\n', expectedVersion: 1 }))).toBe('VERSION_CONFLICT')
  expect(others).toBe(1)
})

test('a call repeated while the first one is running takes effect once', async () => {
  const id = await makeBook(server, person, { content: '# A\n' })
  const keyed: Context = { ...ctx, idempotencyKey: 'k', newId: () => 'thesamecallagain' }
  const again: Context = { ...keyed, writes: elsewhere.writes }
  const calls = [keyed, again, keyed, again].map((each) => appendItemPages(each, { id, content: '# B\n' }))
  const answers = await Promise.all(calls)
  for (const answer of answers) expect(answer).toEqual({ ...answers[0], version: 2, addedPages: 1, firstPage: 2 })
  expect(await pagesOf(id)).toEqual(['# A\n', '# B\n'])
})

test('50 parallel appends in one process all take effect, in call order', async () => {
  const id = await makeBook(server, person)
  const contents = Array.from({ length: 50 }, (_, index) => `# ${index}\n`)
  await Promise.all(contents.map((content) => appendItemPages(ctx, { id, content })))
  expect(await pagesOf(id)).toEqual(contents)
  expect(await findOwnedBook(server, person, id)).toMatchObject({ version: 51, pageCount: 50 })
})

test('of parallel writes with the same expected version one succeeds', async () => {
  const id = await makeBook(server, person, { content: '# A\n' })
  const writes = Array.from({ length: 20 }, (_, index) =>
    code(putItemContent(index % 2 ? ctx : elsewhere, { id, content: `# ${index}\n`, expectedVersion: 1 })),
  )
  expect((await Promise.all(writes)).sort()).toEqual([...Array<string>(19).fill('VERSION_CONFLICT'), 'done'])
  expect(await findOwnedBook(server, person, id)).toMatchObject({ version: 2 })
})
