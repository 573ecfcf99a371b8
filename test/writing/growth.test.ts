import { BSON } from 'bson'
import { expect, test } from 'vitest'
import { putItemPage } from '../../src/writing/put-item-page.ts'
import { restoreItemVersion } from '../../src/writing/restore-item-version.ts'
import { makeBook } from '../support/make-book.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { contextOf } from '../support/context.ts'
import { findOwnedBook, storedPages } from '../support/stored-pages.ts'

/** Prints a measurement. */
const report = (text: string) => process.stdout.write(`${text}\n`)

const server = useTestServer({ LECTERN_ROLE: 'web' })

/** The size of a book in the store, in bytes of BSON. */
async function storedBytes(id: string): Promise<Record<'pages' | 'contents' | 'outlines', number>> {
  const { db } = server.running.opened.database
  const sizeOf = async (collection: string) => {
    let sum = 0
    const rows = db.collection<{ _id: string }>(collection).find({ _id: { $gte: `${id}:`, $lt: `${id};` } })
    for await (const row of rows) sum += BSON.calculateObjectSize(row)
    return sum
  }
  return { pages: await sizeOf('pages'), contents: await sizeOf('contents'), outlines: await sizeOf('outlines') }
}

const pageOf = (number: number, text: string) => `# Page ${number}\n\n${text.padEnd(1900, ' and on it goes')}\n`

test(
  '200 edits of a book with 500 pages store 200 pages, and every version stays readable',
  { timeout: 120_000 },
  async () => {
    const person = await server.createPerson()
    const texts = Array.from({ length: 500 }, (_, index) => pageOf(index + 1, 'first'))
    const id = await makeBook(server, person, { content: texts.join('') })
    const before = await storedBytes(id)
    const ctx = await contextOf(server, person)
    const history = [texts]
    for (let edit = 1; edit <= 200; edit++) {
      const at = (edit * 137) % 500
      const content = pageOf(at + 1, `edit ${edit}`)
      await putItemPage(ctx, { id, pageNum: at + 1, content, expectedVersion: edit })
      history.push((history.at(-1) as string[]).with(at, content))
    }
    const after = await storedBytes(id)
    const book = before.pages + before.contents + before.outlines
    const grown = after.pages + after.contents + after.outlines - book
    report(
      `a book of ${book} bytes grew by ${grown} in 200 page edits: ${(grown / book).toFixed(2)} books, not 200 ` +
        `(pages ${after.pages - before.pages}, versions ${after.contents - before.contents}, outlines ${after.outlines - before.outlines})`,
    )
    expect(after.pages - before.pages).toBeLessThan(before.pages * 0.42)
    expect(grown).toBeLessThan(book)
    for (const [index, pages] of history.entries()) {
      expect(await storedPages(server, person, { id, version: index + 1 })).toEqual(pages)
    }
  },
)

test('every version can be restored byte for byte without storing a page', { timeout: 120_000 }, async () => {
  const person = await server.createPerson()
  const texts = Array.from({ length: 50 }, (_, index) => pageOf(index + 1, 'first'))
  const id = await makeBook(server, person, { content: texts.join('') })
  const ctx = await contextOf(server, person)
  const history = [texts]
  for (let edit = 1; edit <= 40; edit++) {
    const at = (edit * 17) % 50
    await putItemPage(ctx, { id, pageNum: at + 1, content: pageOf(at + 1, `edit ${edit}`) })
    history.push((history.at(-1) as string[]).with(at, pageOf(at + 1, `edit ${edit}`)))
  }
  const { pages } = await storedBytes(id)
  for (const [index, expected] of history.entries()) {
    await restoreItemVersion(ctx, { id, version: index + 1 })
    expect(await storedPages(server, person, { id })).toEqual(expected)
  }
  expect((await storedBytes(id)).pages).toBe(pages)
  expect((await findOwnedBook(server, person, id)).version).toBe(82)
})
