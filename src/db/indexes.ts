import type { CreateIndexesOptions, Db, IndexSpecification } from 'mongodb'

interface Index {
  collection: string
  key: IndexSpecification
  options?: CreateIndexesOptions
}

/** Every index of the product. */
export const indexes: readonly Index[] = [
  { collection: 'accounts', key: { email: 1 }, options: { unique: true } },
  { collection: 'accounts', key: { 'pending.at': 1 } },
  { collection: 'accounts', key: { first: 1 }, options: { unique: true, sparse: true } },
  { collection: 'keys', key: { keyId: 1 }, options: { unique: true } },
  { collection: 'keys', key: { accountId: 1, createdAt: 1 } },
  { collection: 'webSessions', key: { sessionId: 1 }, options: { unique: true } },
  { collection: 'webSessions', key: { accountId: 1, lastSeenAt: -1 } },
  { collection: 'webSessions', key: { expiresAt: 1 }, options: { expireAfterSeconds: 0 } },
  { collection: 'tickets', key: { accountId: 1 } },
  { collection: 'tickets', key: { expiresAt: 1 }, options: { expireAfterSeconds: 0 } },
  { collection: 'books', key: { ownerId: 1, createdAt: 1 } },
  { collection: 'books', key: { ownerId: 1, 'original.sha256': 1 } },
  { collection: 'books', key: { status: 1, updatedAt: 1 } },
  { collection: 'books', key: { ownerId: 1, indexDue: 1 } },
  { collection: 'books', key: { indexDue: 1 } },
  { collection: 'contents', key: { itemId: 1, version: 1 }, options: { unique: true } },
  { collection: 'contents', key: { writeId: 1 }, options: { unique: true, sparse: true } },
  { collection: 'writes', key: { at: 1 } },
  { collection: 'lastReads', key: { itemId: 1 } },
  { collection: 'lastReads', key: { at: 1 }, options: { expireAfterSeconds: 366 * 24 * 60 * 60 } },
  { collection: 'uploads', key: { storageKey: 1 }, options: { unique: true } },
  { collection: 'jobs', key: { accountId: 1, createdAt: -1 } },
  { collection: 'jobs', key: { itemId: 1, createdAt: -1 } },
  { collection: 'jobs', key: { status: 1, leaseUntil: 1 } },
  { collection: 'shelves', key: { 'removing.at': 1 } },
  { collection: 'placements', key: { accountId: 1, shelfId: 1 } },
  { collection: 'placements', key: { accountId: 1, itemId: 1 } },
  { collection: 'placements', key: { itemId: 1 } },
  { collection: 'manuscripts', key: { accountId: 1, createdAt: -1 } },
  { collection: 'manuscripts', key: { liveItemId: 1 }, options: { unique: true, sparse: true } },
  { collection: 'manuscriptslots', key: { 'held.since': 1 } },
  { collection: 'subscriptions', key: { accountId: 1, createdAt: 1 } },
  { collection: 'subscriptions', key: { accountId: 1, itemId: 1 }, options: { unique: true } },
  { collection: 'members', key: { accountId: 1 } },
  { collection: 'shares', key: { teamId: 1, itemId: 1 }, options: { unique: true } },
  { collection: 'shares', key: { itemId: 1 } },
  { collection: 'machines', key: { accountId: 1, lastSeenAt: -1 } },
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

/** Makes the indexes that are missing; those that are there cost nothing. */
export async function ensureIndexes(db: Db): Promise<void> {
  for (const { collection, key, options } of indexes) await db.collection(collection).createIndex(key, options)
}
