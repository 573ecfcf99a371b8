import { dismissGaps } from '../../src/gaps/answer-gaps.ts'
import { reportGap } from '../../src/gaps/report-gap.ts'
import { createManuscript } from '../../src/manuscripts/create-manuscript.ts'
import { updateManuscript } from '../../src/manuscripts/update-manuscript.ts'
import { publishListing } from '../../src/marketplace/publish-listing.ts'
import { subscribeMarketplace } from '../../src/marketplace/subscribe-marketplace.ts'
import { createShelf } from '../../src/shelves/create-shelf.ts'
import { addToShelf } from '../../src/shelves/shelve-books.ts'
import { putItemPage } from '../../src/writing/put-item-page.ts'
import { chargeReads } from '../support/charge-reads.ts'
import type { Person } from '../support/server.ts'
import { smallBooks } from '../support/small-books.ts'
import { importFile } from '../support/uploads.ts'
import { storedPages } from '../support/stored-pages.ts'
import { pdfBook, type BookKey } from './corpus.ts'
import type { Edit, MarketOffer, InitialState } from './task.ts'
import type { TaskServer } from './task-server.ts'

/** Creates the initial state of a task on a new server. */
export async function fillTaskServer(taskServer: TaskServer, initialState: InitialState): Promise<void> {
  const { server, user } = taskServer
  for (const key of initialState.books ?? []) await taskServer.addBook(user, key)
  if (initialState.pdf) await importPdf(taskServer)
  for (const edit of initialState.edits ?? []) await makeEdit(taskServer, edit)
  await publishOffers(taskServer, initialState.marketOffers ?? [])
  await fillShelves(taskServer, initialState.shelves ?? {})
  await fillManuscripts(taskServer, initialState.manuscripts ?? [])
  await fillGaps(taskServer, initialState.gaps ?? [])
  if (initialState.readsUsed) await chargeReads(server, user, initialState.readsUsed)
  if (initialState.laterPlan) await server.running.opened.services.accounts.change(user.id, { tier: 'LATER' })
}

/** Changes a page of a book as its owner. */
export async function makeEdit(taskServer: TaskServer, { book, page, replace: [from, to] }: Edit): Promise<void> {
  const { server, user } = taskServer
  const id = taskServer.bookId(book)
  const text = (await storedPages(server, user, { id }))[page - 1]
  if (!text?.includes(from)) throw new Error(`Page ${page} of ${book} does not say: ${from}`)
  const content = text.replace(from, to)
  await putItemPage(await taskServer.contextOf(user), { id, pageNum: page, content })
}

async function importPdf({ server, user, symbols }: TaskServer): Promise<void> {
  const { itemId } = await importFile(server, user, { filename: `${pdfBook.title}.pdf`, bytes: await smallBooks.pdf() })
  symbols.define(itemId, `book:${pdfBook.key}`)
}

async function publishOffers(taskServer: TaskServer, offered: readonly MarketOffer[]): Promise<void> {
  if (offered.length === 0) return
  const seller = await taskServer.createOtherAccount('Fennick Press')
  const ctx = await taskServer.contextOf(seller)
  for (const { book, added, ...terms } of offered) {
    const itemId = await taskServer.addBook(seller, book)
    const { listing } = await publishListing(ctx, { itemId, ...terms })
    taskServer.symbols.define(listing.id, `listing:${book}`)
    if (added) await subscribeMarketplace(await taskServer.contextOf(taskServer.user), { listingId: listing.id })
  }
}

async function fillShelves(taskServer: TaskServer, shelves: Record<string, readonly BookKey[]>): Promise<void> {
  const ctx = await taskServer.contextOf(taskServer.user)
  for (const [name, books] of Object.entries(shelves)) {
    const { id } = await createShelf(ctx, { name })
    taskServer.symbols.define(id, `shelf:${name}`)
    if (books.length > 0) await addToShelf(ctx, { shelf: id, itemIds: books.map((key) => taskServer.bookId(key)) })
  }
}

async function fillManuscripts(
  taskServer: TaskServer,
  manuscripts: NonNullable<InitialState['manuscripts']>,
): Promise<void> {
  for (const { book, paused, ...fields } of manuscripts) {
    const ctx = await taskServer.contextOf(taskServer.user)
    const { manuscript } = await createManuscript(ctx, {
      ...fields,
      ...(book === undefined ? {} : { itemId: taskServer.bookId(book) }),
    })
    // A manuscript that was created with its book has the same id.
    taskServer.symbols.define(manuscript.id, `manuscript:${fields.title}`)
    if (paused) await updateManuscript(ctx, { manuscriptId: manuscript.id, status: 'PAUSED' })
  }
}

async function fillGaps(taskServer: TaskServer, gaps: NonNullable<InitialState['gaps']>): Promise<void> {
  const readers = await readersOf(taskServer, gaps)
  const author = await taskServer.contextOf(taskServer.user)
  for (const { book, topic, intent, readers: count, dismissed } of gaps) {
    const itemId = taskServer.bookId(book)
    for (const reader of readers.slice(0, count)) {
      const ctx = await taskServer.contextOf(reader)
      await reportGap(ctx, { aboutItemId: itemId, intent, category: 'other', subcategory: topic })
    }
    if (dismissed) await dismissGaps(author, { itemId, subcategory: topic })
  }
}

/** Creates readers who have added every book with gaps, after publishing these books for the user. */
async function readersOf(taskServer: TaskServer, gaps: NonNullable<InitialState['gaps']>): Promise<Person[]> {
  const author = await taskServer.contextOf(taskServer.user)
  const listings: string[] = []
  for (const book of new Set(gaps.map((gap) => gap.book))) {
    const { listing } = await publishListing(author, { itemId: taskServer.bookId(book) })
    taskServer.symbols.define(listing.id, `listing:${book}`)
    listings.push(listing.id)
  }
  const readers: Person[] = []
  for (let i = 0; i < Math.max(0, ...gaps.map((gap) => gap.readers)); i++) {
    const reader = await taskServer.createOtherAccount(`Reader ${i + 1}`)
    const ctx = await taskServer.contextOf(reader)
    for (const listingId of listings) await subscribeMarketplace(ctx, { listingId })
    readers.push(reader)
  }
  return readers
}
