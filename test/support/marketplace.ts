import { rest, send, type ToolResponse } from './transports.ts'
import { makeBook, markdownPages } from './make-book.ts'
import type { Person, TestServer } from './server.ts'
import { countAddedBooks, countOwnedBooks } from './count-books.ts'

export interface PublishedBook {
  listingId: string
  itemId: string
  slug: string
}

interface PublishOptions {
  title?: string
  description?: string
  content?: string
  /** Fields of the publishing call. */
  terms?: Record<string, unknown>
}

/** Publishes a Markdown book of the person on the marketplace, with 10 pages by default. */
export async function publishBook(
  server: TestServer,
  person: Person,
  { terms = {}, ...book }: PublishOptions = {},
): Promise<PublishedBook> {
  const itemId = await makeBook(server, person, { content: markdownPages(10), ...book })
  const { body } = await rest.call(server, person, 'publish_listing', { itemId, ...terms })
  return { itemId, listingId: body.listing.id, slug: body.listing.slug }
}

/** Adds a marketplace book to the person's library. */
export async function subscribe(server: TestServer, person: Person, listingId: string): Promise<void> {
  const answer = await rest.call(server, person, 'subscribe_marketplace', { listingId })
  if (!answer.ok) throw new Error(`not subscribed: ${answer.text}`)
}

/** Calls the public route without a key; `query` begins with `?`. */
export function browse(server: Pick<TestServer, 'baseUrl'>, query = '', headers = {}): Promise<ToolResponse> {
  return send(server, null, { method: 'GET', path: `/api/marketplace/browse${query}`, headers })
}

/** The stored slots and subscriptions. */
export async function librarySlots(server: TestServer, { id }: Pick<Person, 'id'>) {
  const { accounts, books, subscriptions } = server.running.opened.services
  const account = await accounts.byId(id)
  const [own, added] = await Promise.all([countOwnedBooks(books, id), countAddedBooks(subscriptions, id)])
  return { slots: account?.slots, pending: account?.pending, own, added }
}

/** The number of subscribers of a book, according to its listing. */
export async function subscriberCount(server: TestServer, { listingId }: Pick<PublishedBook, 'listingId'>) {
  return (await server.running.opened.services.listings.byId(listingId))?.subscriberCount
}
