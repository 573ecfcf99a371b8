import type { Db } from 'mongodb'
import { newBook } from '../../src/books/new-book.ts'
import type { Book } from '../../src/books/book.ts'
import { newId } from '../../src/core/ids.ts'
import { categories } from '../../src/marketplace/categories.ts'
import { deriveListing } from '../../src/marketplace/derive-listing.ts'
import type { Listing } from '../../src/marketplace/listing-store.ts'

const syllables = ['ka', 'ro', 'mi', 'ten', 'lu', 'sor', 'vi', 'dan', 'pel', 'ash', 'gor', 'nu']

/** A generated word; lower ranks are more frequent. */
function syllableWord(rank: number): string {
  const digits = [...rank.toString(12)].map((digit) => Number.parseInt(digit, 12))
  return digits.map((digit) => syllables[digit]).join('')
}

/** A deterministic text from a vocabulary of 3,000 words with a Zipf distribution. */
function sampleText(seed: number, count: number): string {
  const random = (at: number) => Math.abs(Math.sin(seed * 9973 + at * 7919) * 1e4) % 1
  return Array.from({ length: count }, (_, at) => syllableWord(Math.floor(3000 ** random(at)))).join(' ')
}

/**
 * Writes listings directly to a database, a minute apart: with 10 categories, 50 tags, every fifth for Pro plans, and
 * descriptions of 60 words. Their books are not stored.
 */
export async function seedListings(db: Db, ownerId: string, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => listingRow(ownerId, index))
  for (let at = 0; at < count; at += 1000) {
    await db.collection<{ _id: string }>('listings').insertMany(rows.slice(at, at + 1000))
  }
}

function listingRow(ownerId: string, index: number) {
  const createdAt = new Date(Date.UTC(2026, 0, 1) + index * 60_000)
  const [id, itemId] = [newId(createdAt), newId(createdAt)]
  const book: Book = newBook({
    id: itemId,
    ownerId,
    title: `${sampleText(index, 4)} ${index}`,
    author: sampleText(index + 0.3, 2),
    description: sampleText(index + 0.7, 60),
    sourceType: 'markdown',
    status: 'READY',
    proOnly: index % 5 === 0,
    pageCount: 100,
    createdAt,
  })
  const own: Pick<Listing, 'status' | 'category' | 'tags'> = {
    status: 'LIVE',
    category: categories[index % 10] ?? null,
    tags: [
      { name: `Tag ${index % 50}`, slug: `tag-${index % 50}` },
      { name: `Tag ${(index * 7) % 50}`, slug: `tag-${(index * 7) % 50}` },
    ],
  }
  const times = { createdAt, updatedAt: createdAt, withdrawnAt: null, announcedAt: null, due: '' }
  return {
    _id: id,
    itemId,
    ownerId,
    slug: `listing-${index}`,
    ...own,
    ...times,
    ...deriveListing(own, book, (index * 37) % 1000),
  }
}
