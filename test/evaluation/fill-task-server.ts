import { dismissGaps } from '../../src/gaps/answer-gaps.ts'
import { reportGap } from '../../src/gaps/report-gap.ts'
import { createManuscript } from '../../src/manuscripts/create-manuscript.ts'
import { updateManuscript } from '../../src/manuscripts/update-manuscript.ts'
import { publishListing } from '../../src/marketplace/publish-listing.ts'
import { subscribeMarketplace } from '../../src/marketplace/subscribe-marketplace.ts'
import { createShelf } from '../../src/shelves/create-shelf.ts'
import { addToShelf } from '../../src/shelves/shelve-books.ts'
import { putItemPage } from '../../src/writing/put-item-page.ts'
import { useReads } from '../support/charge-reads.ts'
import type { Person } from '../support/server.ts'
import { smallBooks } from '../support/small-books.ts'
import { importFile } from '../support/uploads.ts'
import { storedPages } from '../support/stored-pages.ts'
import { pdfBook, type BookKey } from './corpus.ts'
import type { Edit, Offered, Start } from './task.ts'
import type { World } from './task-server.ts'

/** Puts into a new world what a task starts with. */
export async function fillWorld(world: World, start: Start): Promise<void> {
  const { server, user } = world
  for (const key of start.books ?? []) await world.addBook(user, key)
  if (start.pdf) await importPdf(world)
  for (const edit of start.edits ?? []) await makeEdit(world, edit)
  await fillMarket(world, start.market ?? [])
  await fillShelves(world, start.shelves ?? {})
  await fillManuscripts(world, start.manuscripts ?? [])
  await fillGaps(world, start.gaps ?? [])
  if (start.readsUsed) await useReads(server, user, start.readsUsed)
  if (start.laterPlan) await server.running.open.services.accounts.change(user.id, { tier: 'LATER' })
}

/** Changes a page of a book as its owner, at once. */
export async function makeEdit(world: World, { book, page, replace: [from, to] }: Edit): Promise<void> {
  const { server, user } = world
  const id = world.bookId(book)
  const text = (await storedPages(server, user, { id }))[page - 1]
  if (!text?.includes(from)) throw new Error(`Page ${page} of ${book} does not say: ${from}`)
  const content = text.replace(from, to)
  await putItemPage(await world.contextOf(user), { id, pageNum: page, content })
}

async function importPdf({ server, user, symbols }: World): Promise<void> {
  const { itemId } = await importFile(server, user, { filename: `${pdfBook.title}.pdf`, bytes: await smallBooks.pdf() })
  symbols.name(itemId, `book:${pdfBook.key}`)
}

async function fillMarket(world: World, offered: readonly Offered[]): Promise<void> {
  if (offered.length === 0) return
  const seller = await world.other('Fennick Press')
  const ctx = await world.contextOf(seller)
  for (const { book, added, ...terms } of offered) {
    const itemId = await world.addBook(seller, book)
    const { listing } = await publishListing(ctx, { itemId, ...terms })
    world.symbols.name(listing.id, `listing:${book}`)
    if (added) await subscribeMarketplace(await world.contextOf(world.user), { listingId: listing.id })
  }
}

async function fillShelves(world: World, shelves: Record<string, readonly BookKey[]>): Promise<void> {
  const ctx = await world.contextOf(world.user)
  for (const [name, books] of Object.entries(shelves)) {
    const { id } = await createShelf(ctx, { name })
    world.symbols.name(id, `shelf:${name}`)
    if (books.length > 0) await addToShelf(ctx, { shelf: id, itemIds: books.map((key) => world.bookId(key)) })
  }
}

async function fillManuscripts(world: World, manuscripts: NonNullable<Start['manuscripts']>): Promise<void> {
  for (const { book, paused, ...fields } of manuscripts) {
    const ctx = await world.contextOf(world.user)
    const { manuscript } = await createManuscript(ctx, {
      ...fields,
      ...(book === undefined ? {} : { itemId: world.bookId(book) }),
    })
    // A manuscript that was made with its book has the same id.
    world.symbols.name(manuscript.id, `manuscript:${fields.title}`)
    if (paused) await updateManuscript(ctx, { manuscriptId: manuscript.id, status: 'PAUSED' })
  }
}

async function fillGaps(world: World, gaps: NonNullable<Start['gaps']>): Promise<void> {
  const readers = await readersOf(world, gaps)
  const author = await world.contextOf(world.user)
  for (const { book, topic, intent, readers: count, dismissed } of gaps) {
    const itemId = world.bookId(book)
    for (const reader of readers.slice(0, count)) {
      const ctx = await world.contextOf(reader)
      await reportGap(ctx, { aboutItemId: itemId, intent, category: 'other', subcategory: topic })
    }
    if (dismissed) await dismissGaps(author, { itemId, subcategory: topic })
  }
}

/** Readers who have added every book with gaps, which the user has published. */
async function readersOf(world: World, gaps: NonNullable<Start['gaps']>): Promise<Person[]> {
  const author = await world.contextOf(world.user)
  const listings: string[] = []
  for (const book of new Set(gaps.map((gap) => gap.book))) {
    const { listing } = await publishListing(author, { itemId: world.bookId(book) })
    world.symbols.name(listing.id, `listing:${book}`)
    listings.push(listing.id)
  }
  const readers: Person[] = []
  for (let i = 0; i < Math.max(0, ...gaps.map((gap) => gap.readers)); i++) {
    const reader = await world.other(`Reader ${i + 1}`)
    const ctx = await world.contextOf(reader)
    for (const listingId of listings) await subscribeMarketplace(ctx, { listingId })
    readers.push(reader)
  }
  return readers
}
