import type { CreateIndexesOptions, Db, IndexDescription } from 'mongodb'

interface Index {
  collection: string
  key: IndexDescription['key']
  options?: CreateIndexesOptions
}

/** All indexes. */
export const indexes: readonly Index[] = [
  { collection: 'accounts', key: { email: 1 }, options: { unique: true } },
  { collection: 'accounts', key: { 'pending.at': 1 } },
  { collection: 'accounts', key: { deletedAt: 1 } },
  { collection: 'accounts', key: { emailProvenAt: 1 } },
  { collection: 'accounts', key: { first: 1 }, options: { unique: true, sparse: true } },
  { collection: 'keys', key: { keyId: 1 }, options: { unique: true } },
  { collection: 'keys', key: { accountId: 1, createdAt: 1 } },
  { collection: 'webSessions', key: { sessionId: 1 }, options: { unique: true } },
  { collection: 'webSessions', key: { accountId: 1, lastSeenAt: -1 } },
  { collection: 'webSessions', key: { expiresAt: 1 }, options: { expireAfterSeconds: 0 } },
  { collection: 'audit', key: { subjects: 1, _id: -1 } },
  { collection: 'audit', key: { type: 1, _id: -1 } },
  { collection: 'audit', key: { expiresAt: 1 }, options: { expireAfterSeconds: 0 } },
  { collection: 'tickets', key: { accountId: 1 } },
  { collection: 'tickets', key: { expiresAt: 1 }, options: { expireAfterSeconds: 0 } },
  { collection: 'oauth', key: { accountId: 1, kind: 1 } },
  { collection: 'oauth', key: { grantId: 1, kind: 1 } },
  { collection: 'oauth', key: { expiresAt: 1 }, options: { expireAfterSeconds: 0 } },
  { collection: 'books', key: { ownerId: 1, createdAt: 1, _id: 1 } },
  { collection: 'books', key: { ownerId: 1, status: 1, createdAt: 1, _id: 1 } },
  { collection: 'books', key: { ownerId: 1, health: 1, createdAt: 1, _id: 1 } },
  {
    collection: 'books',
    key: { ownerId: 1, pageCount: 1, createdAt: -1, _id: -1 },
    options: { partialFilterExpression: { needsEnrichment: true } },
  },
  { collection: 'books', key: { 'uncounted.owner': 1 }, options: { sparse: true } },
  { collection: 'books', key: { ownerId: 1, 'original.sha256': 1 } },
  { collection: 'books', key: { status: 1, updatedAt: 1 } },
  { collection: 'books', key: { ownerId: 1, indexDue: 1 } },
  { collection: 'books', key: { indexDue: 1 } },
  { collection: 'books', key: { storedBytes: 1 } },
  { collection: 'contents', key: { itemId: 1, version: 1 }, options: { unique: true } },
  { collection: 'contents', key: { createdBy: 1 } },
  { collection: 'contents', key: { writeId: 1 }, options: { unique: true, sparse: true } },
  { collection: 'contents', key: { 'purging.at': 1 }, options: { sparse: true } },
  { collection: 'writes', key: { at: 1 } },
  { collection: 'lastReads', key: { itemId: 1 } },
  { collection: 'lastReads', key: { at: 1 }, options: { expireAfterSeconds: 366 * 24 * 60 * 60 } },
  { collection: 'uploads', key: { storageKey: 1 }, options: { unique: true } },
  { collection: 'jobs', key: { accountId: 1, createdAt: -1 } },
  { collection: 'jobs', key: { itemId: 1, createdAt: -1 } },
  { collection: 'jobs', key: { status: 1, leaseUntil: 1 } },
  { collection: 'jobs', key: { accountId: 1, status: 1, lane: 1, retry: 1, bytes: 1 } },
  { collection: 'jobs', key: { accountId: 1, status: 1, lane: 1, createdAt: 1 } },
  { collection: 'importTurns', key: { lane: 1, waiting: 1, turn: 1 } },
  { collection: 'importTurns', key: { accountId: 1 } },
  { collection: 'shelves', key: { 'removing.at': 1 } },
  { collection: 'placements', key: { accountId: 1, shelfId: 1 } },
  { collection: 'placements', key: { accountId: 1, itemId: 1 } },
  { collection: 'placements', key: { accountId: 1, granted: 1 } },
  { collection: 'placements', key: { itemId: 1 } },
  { collection: 'placements', key: { 'uncounted.owner': 1 }, options: { sparse: true } },
  { collection: 'manuscripts', key: { accountId: 1, createdAt: -1 } },
  { collection: 'manuscripts', key: { teamId: 1, createdAt: -1 } },
  { collection: 'manuscripts', key: { shareDueAt: 1 } },
  { collection: 'manuscripts', key: { liveItemId: 1 }, options: { unique: true, sparse: true } },
  { collection: 'manuscriptslots', key: { 'held.since': 1 } },
  { collection: 'books', key: { ofTheWeek: 1 }, options: { unique: true, sparse: true } },
  { collection: 'listings', key: { itemId: 1 }, options: { unique: true } },
  { collection: 'listings', key: { slug: 1 }, options: { unique: true } },
  { collection: 'listings', key: { ownerId: 1, createdAt: -1 } },
  { collection: 'listings', key: { facets: 1, createdAt: -1, _id: -1 } },
  { collection: 'listings', key: { facets: 1, subscriberCount: -1, createdAt: -1, _id: -1 } },
  { collection: 'listings', key: { facets: 1, titleKey: 1, _id: 1 } },
  { collection: 'listings', key: { words: 1 } },
  { collection: 'listings', key: { due: 1 } },
  { collection: 'subscriptions', key: { accountId: 1, createdAt: 1 } },
  { collection: 'subscriptions', key: { accountId: 1, itemId: 1 }, options: { unique: true } },
  { collection: 'subscriptions', key: { itemId: 1, ownerId: 1 } },
  { collection: 'teams', key: { 'pending.at': 1 } },
  { collection: 'members', key: { accountId: 1 } },
  { collection: 'members', key: { teamId: 1, joinedAt: 1 } },
  { collection: 'members', key: { leavingAt: 1 } },
  { collection: 'departments', key: { teamId: 1, slug: 1 }, options: { unique: true } },
  { collection: 'departments', key: { removingAt: 1 } },
  { collection: 'invites', key: { inviteId: 1 }, options: { unique: true } },
  { collection: 'invites', key: { teamId: 1 } },
  { collection: 'invites', key: { email: 1, createdAt: -1 } },
  { collection: 'invites', key: { invitedBy: 1 } },
  { collection: 'invites', key: { joiningSince: 1 } },
  { collection: 'invites', key: { expiresAt: 1 }, options: { expireAfterSeconds: 30 * 24 * 60 * 60 } },
  { collection: 'shares', key: { teamId: 1, itemId: 1 }, options: { unique: true } },
  { collection: 'shares', key: { itemId: 1 } },
  { collection: 'gaps', key: { readerId: 1, itemId: 1, topic: 1, fulfilment: 1 }, options: { unique: true } },
  { collection: 'gaps', key: { itemId: 1, status: 1, reportedAt: 1 } },
  { collection: 'gaps', key: { itemId: 1, fulfilment: 1, topic: 1 } },
  { collection: 'gaps', key: { ownerId: 1, status: 1, itemId: 1, topic: 1, reportedAt: 1 } },
  { collection: 'gaps', key: { unsettledAt: 1 }, options: { sparse: true } },
  { collection: 'suggestions', key: { accountId: 1, work: 1 }, options: { unique: true } },
  { collection: 'suggestions', key: { accountId: 1, createdAt: -1 } },
  { collection: 'machines', key: { accountId: 1, lastSeenAt: -1 } },
  { collection: 'reports', key: { accountId: 1 } },
  { collection: 'notifications', key: { accountId: 1, createdAt: -1 } },
  { collection: 'readBooks', key: { accountId: 1, month: 1 } },
  { collection: 'readDays', key: { accountId: 1, day: 1 } },
  { collection: 'readDays', key: { day: 1 } },
  { collection: 'sessionPlaces', key: { 'open.at': 1 } },
  { collection: 'sessions', key: { accountId: 1, startedAt: -1, _id: -1 } },
  { collection: 'sessions', key: { completedAt: 1, lastReadAt: 1 } },
  { collection: 'search_books', key: { ownerId: 1 } },
  { collection: 'search_books', key: { analysis: 1 } },
  { collection: 'search_libraries', key: { crowded: 1 } },
  { collection: 'search_work', key: { dueAt: 1 } },
  { collection: 'reads', key: { accountId: 1, month: 1 } },
  { collection: 'rates', key: { expiresAt: 1 }, options: { expireAfterSeconds: 0 } },
  { collection: 'idempotency', key: { expiresAt: 1 }, options: { expireAfterSeconds: 0 } },
]

/** How many collections are prepared at once: the embedded store then commits several together. */
const lanes = 4

/** Creates missing indexes, one command per collection; existing ones cost almost nothing. */
export async function ensureIndexes(db: Db): Promise<void> {
  const waiting = Map.groupBy(indexes, (index) => index.collection).entries()
  const createNext = async () => {
    for (const [collection, missing] of waiting) {
      await db.collection(collection).createIndexes(missing.map(({ key, options }) => ({ key, ...options })))
    }
  }
  await Promise.all(Array.from({ length: lanes }, createNext))
}
