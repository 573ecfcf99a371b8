import { beforeAll, describe, expect, test } from 'vitest'
import { listGrantedBooks } from '../../src/books/access.ts'
import { iterateLibrary } from '../../src/library/iterate-library.ts'
import { contextOf } from '../support/context.ts'
import { makeBook } from '../support/make-book.ts'
import { publishBook, subscribe } from '../support/marketplace.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })
let person: Person
/** The ids of the library: the person's own books, and one of somebody else in between. */
let newestFirst: string[]

beforeAll(async () => {
  person = await server.createPerson()
  const author = await server.createPerson()
  const own = (count: number) => Array.from({ length: count }, () => () => makeBook(server, person))
  const addForeign = async () => {
    const { itemId, listingId } = await publishBook(server, author)
    await subscribe(server, person, listingId)
    return itemId
  }
  const ids: string[] = []
  for (const add of [...own(2), addForeign, ...own(3)]) ids.push(await add())
  newestFirst = ids.toReversed()
})

async function idsOf(batchSize: number, cursor?: string): Promise<string[]> {
  const ctx = await contextOf(server, person)
  const ids: string[] = []
  const batches = iterateLibrary(ctx, { cursor, batchSize, granted: listGrantedBooks(ctx) })
  for await (const batch of batches) ids.push(...batch.map(({ id }) => id))
  return ids
}

describe('the books of a library come newest first, each once', () => {
  test.for([1, 2, 3, 5, 6, 100])('in batches of %i own books', async (batchSize) => {
    expect(await idsOf(batchSize)).toEqual(newestFirst)
  })

  test('from any of them on', async () => {
    for (const [at, id] of newestFirst.entries()) expect(await idsOf(2, id)).toEqual(newestFirst.slice(at))
  })
})
