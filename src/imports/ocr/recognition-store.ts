import type { Collection, Db } from 'mongodb'
import type { PageCounts } from '../../text/page-counts.ts'

export type RecognitionStatus = 'WAITING' | 'RUNNING' | 'DONE'

/** A page whose text was recognised and stored, and does not belong to a version yet. */
export interface PendingPage {
  /** Of the file, from 1. */
  page: number
  /** What it is stored under, at the index of the page in the file. */
  revision: string
}

/** The recognition of the pages of one book whose text cannot be used; the last one of the book, running or ended. */
export interface Recognition {
  itemId: string
  accountId: string
  /** Of this recognition; what it stores begins with it. */
  runId: string
  status: RecognitionStatus
  /** Pages of the file that are still to be read, in order. */
  waiting: number[]
  /** Of the waiting ones, those whose letters are wrong; the others are pictures. */
  garbled: number[]
  pending: PendingPage[]
  /** Pages at the beginning, read so far, and of these those on which there was text. */
  total: number
  done: number
  recognised: number
  /** Pages beyond the limit of a book, which stay as they are. */
  skipped: number
  /** Why it ended before its last page; null: it did not. */
  stopped: 'STORAGE_FULL' | null
  /** Of the book, with what was recognised. */
  counts: PageCounts
  /** What the pages are read in, as Tesseract names it; null: not known yet. */
  language: string | null
  /** How often a version was published, and when last; the beginning before the first. */
  publications: number
  publishedAt: Date
  /** What an earlier recognition of the book may have left. */
  stale: string[]
  /** Workers that have taken it since its last page was read: more than a few, and the page is given up. */
  attempts: number
  /** How often it was taken at all; each time pages are stored under another revision. */
  claims: number
  fence: string | null
  leaseUntil: Date | null
  createdAt: Date
  updatedAt: Date
}

export interface RecognitionStore {
  /** Stores a recognition in place of the book's last one, whose worker loses it. */
  put(recognition: Recognition): Promise<void>
  byItem(accountId: string, itemId: string): Promise<Recognition | null>
  /** The oldest of an account that waits, or whose worker has died. */
  findNext(accountId: string, now: Date): Promise<Recognition | null>
  /** Takes one that waits or whose worker has died, with a new fence; null if another worker has it. */
  claim(itemId: string, claim: { fence: string; now: Date; leaseUntil: Date }): Promise<Recognition | null>
  /** Changes one while it has this fence; false if another worker has it, or it was replaced. */
  update(itemId: string, fence: string, change: Partial<Recognition>): Promise<boolean>
  /** Accounts with one that waits or whose worker has died; at most 1,000. */
  listAccounts(now: Date): Promise<string[]>
  removeByItem(itemId: string): Promise<void>
}

export interface RecognitionStores {
  recognitions: RecognitionStore
}

type Row = Omit<Recognition, 'itemId'> & { _id: string }

/** Recognitions on MongoDB: collection `recognitions`, one row per book. */
export function createRecognitionStore(db: Db): RecognitionStore {
  const rows: Collection<Row> = db.collection<Row>('recognitions')
  return {
    async put({ itemId, ...fields }) {
      await rows.replaceOne({ _id: itemId }, fields, { upsert: true })
    },
    byItem: async (accountId, itemId) => toRecognition(await rows.findOne({ _id: itemId, accountId })),
    findNext: async (accountId, now) =>
      toRecognition(await rows.findOne({ accountId, ...claimable(now) }, { sort: { createdAt: 1 } })),
    async claim(itemId, { fence, now, leaseUntil }) {
      const change = { status: 'RUNNING' as const, fence, leaseUntil, updatedAt: now }
      const row = await rows.findOneAndUpdate(
        { _id: itemId, ...claimable(now) },
        { $set: change, $inc: { attempts: 1, claims: 1 } },
        { returnDocument: 'after' },
      )
      return toRecognition(row)
    },
    async update(itemId, fence, { itemId: _, ...change }) {
      return (await rows.updateOne({ _id: itemId, fence, status: 'RUNNING' }, { $set: change })).matchedCount === 1
    },
    async listAccounts(now) {
      const found = await rows
        .find(claimable(now), { projection: { accountId: 1 } })
        .limit(1000)
        .toArray()
      return [...new Set(found.map(({ accountId }) => accountId))]
    },
    async removeByItem(itemId) {
      await rows.deleteOne({ _id: itemId })
    },
  }
}

function toRecognition(row: Row | null): Recognition | null {
  if (!row) return null
  const { _id, ...fields } = row
  return { itemId: _id, ...fields }
}

/** Those that wait, and those whose worker has died. */
function claimable(now: Date) {
  return { $or: [{ status: 'WAITING' as const }, { status: 'RUNNING' as const, leaseUntil: { $lt: now } }] }
}
