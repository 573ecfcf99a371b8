import { rest, send, type ToolResponse } from './transports.ts'
import { publishBook, subscribe, type PublishedBook } from './marketplace.ts'
import type { Person, TestServer } from './server.ts'

export interface GapReport {
  intent?: string
  category?: string
  subcategory?: string
  aboutSection?: string
}

const defaultReport = { intent: 'How do whales sleep?', category: 'science', subcategory: 'Sleep' }

/** Reports a gap of a book over REST. */
export function reportGap(
  server: TestServer,
  person: Person,
  itemId: string,
  report: GapReport = {},
): Promise<ToolResponse> {
  return rest.call(server, person, 'report_book_gap', { itemId, ...defaultReport, ...report })
}

/** The requests of a book by topic, as its author gets them over REST. */
export async function listGapGroups(server: TestServer, author: Person, itemId: string, status?: string) {
  const query = status === undefined ? '' : `?status=${status}`
  const answer = await send(server, author.key, { method: 'GET', path: `/api/v1/items/${itemId}/gaps${query}` })
  return answer.body as {
    subcategory: string
    category: string
    reporterCount: number
    sampleIntent: string
    aboutSection: string | null
    status: string
    latestAt: string
    gapIds: string[]
  }[]
}

/** A book on the marketplace with its author, and readers who have added it. */
export async function publishedBook(
  server: TestServer,
  { readers: count, ...options }: { readers: number } & Parameters<typeof publishBook>[2],
): Promise<{ author: Person; readers: Person[] } & PublishedBook> {
  const author = await server.createPerson()
  const published = await publishBook(server, author, options)
  const readers: Person[] = []
  for (let i = 0; i < count; i++) {
    const reader = await server.createPerson()
    await subscribe(server, reader, published.listingId)
    readers.push(reader)
  }
  return { author, readers, ...published }
}

/** A person's notifications about fulfilled requests, most recent first. */
export async function fulfilledNotices(server: TestServer, person: Person) {
  const { body } = await rest.call(server, person, 'list_notifications', { type: 'gap_fulfilled' })
  return body.notifications as { title: string; body: string; metadata: Record<string, unknown> }[]
}

/** All stored requests and suggestions, as one text. */
export async function storedText(server: TestServer): Promise<string> {
  const { db } = server.running.opened.database
  const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name)
  const collections = names.filter((name) => !['accounts', 'keys'].includes(name))
  const all = await Promise.all(collections.map((name) => db.collection(name).find().toArray()))
  return JSON.stringify(all)
}
