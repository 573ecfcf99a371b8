import { z } from 'zod'
import type { Book } from '../../books/book.ts'
import { featureBook } from '../../marketplace/feature-book.ts'
import { systemAccount } from './account-context.ts'
import { addBook } from './add-book.ts'
import { byCommand, defineCommand, defineListCommand, type ListRow } from './command.ts'
import { findAccountByEmail, Email } from './find-account.ts'

const File = {
  file: z.string().min(1),
  title: z.string().trim().min(1).max(200).optional(),
  wait: z.literal(true).optional(),
}

export const bookAdd = defineCommand({
  name: 'book add',
  usage: '--email E --file F [--title T] [--wait]',
  summary:
    "Add a file to an account's library and print the id of the book. If the library already has the file, print the " +
    'id of its book instead, unless --title asks for another title. --wait: wait until the import has ended.',
  options: z.strictObject({ email: Email, ...File }),
  run: async (admin, { email, ...file }) => addBook(admin, await findAccountByEmail(admin.services, email), file),
})

export const bookList = defineListCommand({
  name: 'book list',
  usage: '--email E',
  summary: 'List the books of an account, newest first: id, status, pages, title.',
  options: z.strictObject({ email: Email }),
  async list({ services }, { email }) {
    const account = await findAccountByEmail(services, email)
    return { name: 'books', rows: bookRows(services.books.allOwned(account.id)), empty: 'No books' }
  },
})

async function* bookRows(books: AsyncIterable<Book>): AsyncGenerator<ListRow> {
  for await (const book of books) {
    const { id, title, author, sourceType, status, health, healthReason, pageCount, createdAt } = book
    const json = { id, title, author, sourceType, status, health, healthReason, pageCount, createdAt }
    const problem = status === 'READY' && health !== 'ok' ? `  (${health})` : ''
    yield { json, text: `${id}  ${status.padEnd(10)}  ${String(pageCount).padStart(6)}  ${title}${problem}` }
  }
}

export const bookSystem = defineCommand({
  name: 'book system',
  usage: '--file F [--title T] [--wait]',
  summary: 'Add a built-in book, which every account can read.',
  options: z.strictObject(File),
  run: (admin, file) => addBook(admin, systemAccount(admin.services), file),
})

export const bookFeature = defineCommand({
  name: 'book feature',
  usage: '--item ID',
  summary: 'Feature a book as book of the week: for 7 days, every account that has added it can read all of it.',
  options: z.strictObject({ item: z.string().min(1) }),
  async run({ services }, { item: id }) {
    const featuredUntil = (await featureBook(services, { id })).featuredUntil.toISOString()
    await services.audit.record({ type: 'book_featured', by: byCommand, accountId: null, detail: { item: id } })
    return { json: { itemId: id, featuredUntil }, text: `${id} is featured until ${featuredUntil}` }
  },
})
