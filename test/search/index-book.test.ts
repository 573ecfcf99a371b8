import { expect, test } from 'vitest'
import { runChecks } from '../../src/admin/doctor/run-checks.ts'
import type { Context } from '../../src/app/context.ts'
import { removeFromIndex } from '../../src/search/index/remove-from-index.ts'
import { indexBook } from '../../src/search/index/index-book.ts'
import { detachBook } from '../../src/search/index/library-segments.ts'
import { searchItems } from '../../src/search/search-items.ts'
import { forEachWord } from '../../src/search/words/word-list.ts'
import { refreshStaleIndex } from '../../src/search/index/refresh-stale-index.ts'
import { putItemPage } from '../../src/writing/put-item-page.ts'
import { deleteItems } from '../../src/books/delete-items.ts'
import { undeleteItem } from '../../src/books/undelete-item.ts'
import { removeBook } from '../../src/books/remove-book.ts'
import { makeBook, markdownPages } from '../support/make-book.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { contextOf } from '../support/context.ts'
import { findOwnedBook } from '../support/stored-pages.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

/** The role `web` runs no background work. Each test runs the work that it needs. */

const find = async (ctx: Context, query: string) => (await searchItems(ctx, { query, limit: 10 })).items
const count = (collection: string, filter: object) =>
  server.running.opened.database.db.collection(collection).countDocuments(filter)
const rowsOf = (id: string) => count('search_pages', { _id: { $gte: `${id}:`, $lt: `${id};` } })

async function start(content: string): Promise<{ person: Person; ctx: Context; id: string }> {
  const person = await server.createPerson()
  const id = await makeBook(server, person, { content })
  return { person, ctx: await contextOf(server, person), id }
}

type Method = `${'books' | 'libraries'}.${string}`

/** Returns a context in which one method of the index fails once. */
function failing(ctx: Context, name: Method): Context {
  const [part, method] = name.split('.') as ['books' | 'libraries', string]
  const own = ctx.search[part] as unknown as Record<string, (...given: unknown[]) => unknown>
  let failed = false
  const broken = {
    ...own,
    [method]: (...given: unknown[]) => {
      if (failed) return own[method]?.(...given)
      failed = true
      throw new Error('the process dies here')
    },
  }
  return { ...ctx, search: { ...ctx.search, [part]: broken } }
}

test('indexing an edit reads only the edited page', async () => {
  const { ctx, id, person } = await start(markdownPages(200))
  const read: string[] = []
  const watched: Context = {
    ...ctx,
    contents: {
      ...ctx.contents,
      getPages: (refs) => {
        read.push(...refs.map((ref) => ref.id))
        return ctx.contents.getPages(refs)
      },
    },
  }
  await putItemPage(ctx, { id, pageNum: 100, content: '# Page 100\n\nquokka\n' })
  await ctx.books.markIndexDue(person.id, id)
  // The edit may have indexed the book already. Its units are counted first, to measure the cost of an edit.
  const before = await rowsOf(id)
  await indexBook(watched, { id, ownerId: person.id })
  expect(new Set(read).size).toBeLessThanOrEqual(1)
  expect(await rowsOf(id)).toBeLessThanOrEqual(before + 2)
  expect((await find(ctx, 'quokka'))[0]?.hits).toMatchObject([{ page: 100 }])
})

test.for(['books.writeUnits', 'books.replace', 'libraries.writeRows', 'libraries.replace'] as const)(
  'after a crash before %s of a new book the next search indexes it',
  async (method) => {
    const { ctx, id, person } = await start('# One\n\nnumbat\n')
    // Pretend that it was never indexed.
    await removeIndex(ctx, person, id)
    await indexBook(failing(ctx, method), { id, ownerId: person.id })
    expect((await findOwnedBook(server, person, id)).indexDue).not.toBe('')
    expect(await find(ctx, 'numbat')).toMatchObject([{ id, hits: [{ page: 1 }] }])
    expect((await findOwnedBook(server, person, id)).indexDue).toBe('')
  },
)

async function removeIndex(ctx: Context, person: Person, id: string): Promise<void> {
  await removeFromIndex(ctx, person.id, id)
  await ctx.books.markIndexDue(person.id, id)
}

test.for(['books.writeUnits', 'books.replace', 'libraries.writeRows', 'libraries.replace'] as const)(
  'after a crash before %s of an edit the next search finds the new text and never the old one',
  async (method) => {
    const { ctx, id, person } = await start('# One\n\nbilby\n\n# Two\n\nbilby\n')
    const broken = failing(ctx, method)
    await putItemPage({ ...broken }, { id, pageNum: 1, content: '# One\n\npotoroo\n' })
    await ctx.books.markIndexDue(person.id, id)
    await indexBook(failing(ctx, method), { id, ownerId: person.id })
    expect((await find(ctx, 'bilby'))[0]?.hits).toMatchObject([{ page: 2 }])
    expect((await find(ctx, 'potoroo'))[0]?.hits).toMatchObject([{ page: 1 }])
  },
)

test('a search finds a book that another process indexed after the search had read the index', async () => {
  const { ctx, id, person } = await start('# One\n\ndunnart\n')
  await removeIndex(ctx, person, id)
  const { promise: indexWasRead, resolve } = Promise.withResolvers<void>()
  const interrupted: Context = {
    ...ctx,
    search: {
      ...ctx.search,
      libraries: {
        ...ctx.search.libraries,
        async findAll(ownerIds) {
          const found = await ctx.search.libraries.findAll(ownerIds)
          resolve()
          return found
        },
      },
    },
    books: {
      ...ctx.books,
      async listIndexDue(ownerIds, limit) {
        await indexWasRead
        await indexBook(ctx, { id, ownerId: person.id })
        return ctx.books.listIndexDue(ownerIds, limit)
      },
    },
  }
  expect(await find(interrupted, 'dunnart')).toMatchObject([{ id, hits: [{ page: 1 }] }])
})

test('the sweep removes index rows left by a crash or an edit', async () => {
  const { ctx, id, person } = await start('# One\n\nwombat\n')
  await ctx.books.markIndexDue(person.id, id)
  await indexBook(failing(ctx, 'books.replace'), { id, ownerId: person.id })
  await putItemPage(ctx, { id, pageNum: 1, content: '# Renamed\n\nwallaby\n' })
  await find(ctx, 'wallaby')
  const services = { ...server.running.opened.services, log: ctx.log }
  await refreshStaleIndex({ ...services, now: () => new Date(Date.now() + 3_600_000) })
  expect(await count('search_work', { ownerId: person.id })).toBe(0)
  const [indexed] = await ctx.search.books.find(person.id, [id])
  const units = new Set([indexed?.about.id, ...(indexed?.units ?? []).map((unit) => unit.id)])
  // Each unit has one row of terms and one of words.
  expect(await rowsOf(id)).toBe(2 * units.size)
  expect(await count('search_words', { _id: { $gte: `${person.id}:`, $lt: `${person.id};` } })).toBe(2)
  expect(await find(ctx, 'wallaby')).toHaveLength(1)
})

test('a book deleted while it is indexed leaves no index rows', async () => {
  const { ctx, id, person } = await start('# One\n\npossum\n')
  await ctx.books.markIndexDue(person.id, id)
  const overtaken: Context = {
    ...ctx,
    search: {
      ...ctx.search,
      books: {
        ...ctx.search.books,
        async replace(...given) {
          const markId = await ctx.accounts.markSlotsReleasing(person.id, [id], { change: 'free', at: new Date() })
          await removeBook(ctx, { ownerId: person.id, id }, markId)
          return ctx.search.books.replace(...given)
        },
      },
    },
  }
  await indexBook(overtaken, { id, ownerId: person.id })
  expect(await rowsOf(id)).toBe(0)
  expect(await ctx.search.books.find(person.id, [id])).toEqual([])
  expect(await ctx.search.libraries.find(person.id)).toBeNull()
})

test('a book that is brought back while a process removes it from the index is indexed again', async () => {
  const { ctx, id, person } = await start('# One\n\nnumbat\n')
  await deleteItems(ctx, { ids: [id] })
  let overtaken = false
  const slow: Context = {
    ...ctx,
    books: {
      ...ctx.books,
      async findOwned(...given) {
        const found = await ctx.books.findOwned(...given)
        if (!overtaken) {
          overtaken = true
          await undeleteItem(ctx, { itemId: id })
        }
        return found
      },
    },
  }
  await indexBook(slow, { id, ownerId: person.id })
  expect(await find(ctx, 'numbat')).toHaveLength(1)
})

test('a process that lost a race does not list an outdated segment', async () => {
  const { ctx, id, person } = await start('# One\n\nbandicoot\n')
  await ctx.books.markIndexDue(person.id, id)
  let overtaken = false
  const slow: Context = {
    ...ctx,
    search: {
      ...ctx.search,
      books: {
        ...ctx.search.books,
        async replace(...given) {
          const replaced = await ctx.search.books.replace(...given)
          if (overtaken) return replaced
          overtaken = true
          await putItemPage(ctx, { id, pageNum: 1, content: '# One\n\nquoll\n' })
          await indexBook(ctx, { id, ownerId: person.id })
          return replaced
        },
      },
    },
  }
  await indexBook(slow, { id, ownerId: person.id })
  expect(await find(ctx, 'bandicoot')).toEqual([])
  expect(await find(ctx, 'quoll')).toHaveLength(1)
})

test('many processes that index the same books give one consistent index', async () => {
  const person = await server.createPerson()
  const ctx = await contextOf(server, person)
  const ids = await Promise.all(
    Array.from({ length: 6 }, (_, at) =>
      makeBook(server, person, { title: `Book ${at}`, content: '# A\n\nechidna\n' }),
    ),
  )
  for (const id of ids) await ctx.books.markIndexDue(person.id, id)
  await Promise.all([...ids, ...ids, ...ids, ...ids].map((id) => indexBook(ctx, { id, ownerId: person.id })))
  expect(await find(ctx, 'echidna')).toHaveLength(6)
  const { services, database } = server.running.opened
  const { checks } = await runChecks({ db: database.db, services, deep: false })
  expect(checks.filter(({ name, ok }) => name.startsWith('search') && !ok)).toEqual([])
})

/** Writes a number in letters. */
const lettersOf = (number: number) => [...`${number}`].map((digit) => 'qwrtpsdfgh'[Number(digit)]?.repeat(3)).join('')

test('a library of many books is merged into few segments and stays complete', async () => {
  const person = await server.createPerson()
  const ctx = await contextOf(server, person)
  const ids: string[] = []
  for (let at = 0; at < 70; at++) {
    ids.push(
      await makeBook(server, person, {
        title: `Book ${at}`,
        content: `# A\n\nkoala number${at}x zebra${lettersOf(at)}\n`,
      }),
    )
  }
  const library = await ctx.search.libraries.find(person.id)
  expect(library?.segments.length).toBeLessThan(16)
  expect((await searchItems(ctx, { query: 'koala', limit: 5 })).total).toBe(70)
  for (const at of [0, 17, 69])
    expect(await find(ctx, `number${at}x`)).toMatchObject([{ id: ids[at], title: `Book ${at}` }])
  // Most books of a merged segment are removed, so that the rest is rewritten.
  for (const id of ids.slice(0, 45)) {
    const markId = await ctx.accounts.markSlotsReleasing(person.id, [id], { change: 'free', at: new Date() })
    await removeBook(ctx, { ownerId: person.id, id }, markId)
  }
  await makeBook(server, person, { title: 'Last', content: '# A\n\nkoala\n' })
  expect((await searchItems(ctx, { query: 'koala', limit: 5 })).total).toBe(26)
  expect(await find(ctx, 'number3x')).toEqual([])
  expect(await find(ctx, 'number50x')).toHaveLength(1)
  const after = await ctx.search.libraries.find(person.id)
  const dead = after?.segments.reduce((sum, segment) => sum + segment.dead.length, 0) ?? 0
  expect(dead).toBeLessThan(26)
  // A typo: the word list has been merged, and words of removed books are gone from it.
  const near = await searchItems(ctx, { query: 'koaal', limit: 5 })
  expect(near).toMatchObject({ total: 26, didYouMean: 'koala' })
  const words = (
    await Promise.all(
      (after?.segments ?? []).map(({ id, wordBits = 0 }) =>
        ctx.search.libraries.readWords(
          person.id,
          Array.from({ length: 2 ** wordBits }, (_, shard) => ({ segmentId: id, shard })),
        ),
      ),
    )
  ).flat()
  const listed = new Set<string>()
  for (const [, row] of words) forEachWord(row, (word) => listed.add(word))
  expect(listed).toContain(`zebra${lettersOf(69)}`)
  expect([...listed].filter((word) => word.startsWith('zebra')).length).toBeLessThan(70)
})

test('a book indexed with an older analyzer version is indexed again', async () => {
  const { ctx, id, person } = await start('# One\n\ntaipan\n')
  const { db } = server.running.opened.database
  await db.collection<{ _id: string }>('search_books').updateOne({ _id: id }, { $set: { analysis: 0 } })
  await refreshStaleIndex({ ...server.running.opened.services, log: ctx.log })
  const [indexed] = await ctx.search.books.find(person.id, [id])
  expect(indexed?.analysis).toBeGreaterThan(0)
  expect(await find(ctx, 'taipan')).toHaveLength(1)
})

test.for<[what: string, spoil: (ctx: Context, person: Person, id: string) => Promise<unknown>, says: RegExp]>([
  ['a book that is not indexed', (ctx, person, id) => ctx.search.books.remove(person.id, id), /not indexed/],
  ['a book that no library index lists', (ctx, person, id) => detachBook(ctx, person.id, id), /listed 0 times/],
  [
    'rows that belong to nothing',
    (ctx, _, id) =>
      ctx.search.books.writeUnits(id, [{ unitId: 'stray', rows: [{ shard: 0, bytes: Uint8Array.of(0) }] }]),
    /stray belong to no book/,
  ],
])('lectern doctor finds %s', async ([, spoil, says]) => {
  const { ctx, id, person } = await start('# One\n\ndingo\n')
  await spoil(ctx, person, id)
  const { services, database } = server.running.opened
  const { checks } = await runChecks({ db: database.db, services, deep: false })
  const wrong = checks.filter(({ ok }) => !ok)
  expect(wrong.map(({ detail }) => detail).join()).toMatch(says)
  const markId = await ctx.accounts.markSlotsReleasing(person.id, [id], { change: 'free', at: new Date() })
  await removeBook(ctx, { ownerId: person.id, id }, markId)
  await refreshStaleIndex({ ...services, log: ctx.log, now: () => new Date(Date.now() + 3_600_000) })
})
