import type { Door } from './transports.ts'
import { doors, send, type Answer } from './transports.ts'
import { makeBook, pagesOf } from './make-book.ts'
import type { Person, TestServer } from './server.ts'

export interface Published {
  listingId: string
  itemId: string
  slug: string
}

interface Offer {
  title?: string
  description?: string
  content?: string
  /** Fields of the publishing call. */
  terms?: Record<string, unknown>
}

/** A Markdown book of the person's, of 10 pages where no content is given, on the marketplace. */
export async function publishBook(
  server: TestServer,
  person: Person,
  { terms = {}, ...book }: Offer = {},
): Promise<Published> {
  const itemId = await makeBook(server, person, { content: pagesOf(10), ...book })
  const { body } = await rest.call(server, person, 'publish_listing', { itemId, ...terms })
  return { itemId, listingId: body.listing.id, slug: body.listing.slug }
}

const [[, rest]] = doors as [[string, Door]]

/** Adds a marketplace book to the person's library. */
export async function subscribe(server: TestServer, person: Person, listingId: string): Promise<void> {
  const answer = await rest.call(server, person, 'subscribe_marketplace', { listingId })
  if (!answer.ok) throw new Error(`not subscribed: ${answer.text}`)
}

/** Asks the public route, without a key; `query` begins with `?`. */
export function browse(server: Pick<TestServer, 'baseUrl'>, query = '', headers = {}): Promise<Answer> {
  return send(server, null, { method: 'GET', path: `/api/marketplace/browse${query}`, headers })
}

/** What the store knows of slots and subscriptions. */
export async function libraryOf(server: TestServer, { id }: Pick<Person, 'id'>) {
  const { accounts, books, subscriptions } = server.running.open.services
  const account = await accounts.byId(id)
  const [own, added] = await Promise.all([books.count(id), subscriptions.count(id)])
  return { slots: account?.slots, pending: account?.pending, own, added }
}

/** How many have added a book, as its listing says. */
export async function subscriberCount(server: TestServer, { listingId }: Pick<Published, 'listingId'>) {
  return (await server.running.open.services.listings.byId(listingId))?.subscriberCount
}
