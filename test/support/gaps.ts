import { doors, send, type Answer, type Door } from './transports.ts'
import { publishBook, subscribe, type Published } from './marketplace.ts'
import type { Person, TestServer } from './server.ts'

const [[, rest]] = doors as [[string, Door]]

export interface Report {
  intent?: string
  category?: string
  subcategory?: string
  aboutSection?: string
}

const anyReport = { intent: 'How do whales sleep?', category: 'science', subcategory: 'Sleep' }

/** Reports over REST what a book lacks. */
export function ask(server: TestServer, person: Person, itemId: string, report: Report = {}): Promise<Answer> {
  return rest.call(server, person, 'report_book_gap', { itemId, ...anyReport, ...report })
}

/** The requests of a book by topic, as its author gets them over REST. */
export async function groupsOf(server: TestServer, author: Person, itemId: string, status?: string) {
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
  { readers: count, ...offer }: { readers: number } & Parameters<typeof publishBook>[2],
): Promise<{ author: Person; readers: Person[] } & Published> {
  const author = await server.person()
  const published = await publishBook(server, author, offer)
  const readers: Person[] = []
  for (let i = 0; i < count; i++) {
    const reader = await server.person()
    await subscribe(server, reader, published.listingId)
    readers.push(reader)
  }
  return { author, readers, ...published }
}

/** The notifications of a person about fulfilled requests, the latest first. */
export async function fulfilledNotices(server: TestServer, person: Person) {
  const { body } = await rest.call(server, person, 'list_notifications', { type: 'gap_fulfilled' })
  return body.notifications as { title: string; body: string; metadata: Record<string, unknown> }[]
}

/** Everything that the store has of requests and suggestions, as one text. */
export async function storedWords(server: TestServer): Promise<string> {
  const { db } = server.running.open.database
  const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name)
  const kept = names.filter((name) => !['accounts', 'keys'].includes(name))
  const all = await Promise.all(kept.map((name) => db.collection(name).find().toArray()))
  return JSON.stringify(all)
}
