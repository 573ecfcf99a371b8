import type { Collection, Db } from 'mongodb'
import { planRemoval } from '../../db/plan-removal.ts'
import type { PageCounts } from '../../text/page-counts.ts'

export type RecognitionStatus = 'WAITING' | 'RUNNING' | 'DONE'

/** A recognised and stored page that does not belong to a version yet. */
export interface PendingPage {
  /** Page number in the file, from 1. */
  page: number
  /** The revision that it is stored under, at the index of the page in the file. */
  revision: string
}

/** The text recognition of one book: its latest one, running or ended. */
export interface Recognition {
  itemId: string
  accountId: string
  /** Id of this recognition; its revisions begin with it. */
  runId: string
  status: RecognitionStatus
  /** Pages of the file that are still to be recognised, in order. */
  waiting: number[]
  /** The waiting pages whose letters are wrong; the others are pictures. */
  garbled: number[]
  pending: PendingPage[]
  /** Number of pages at the start, of those done so far, and of those with text. */
  total: number
  done: number
  recognised: number
  /** Number of pages beyond the limit per book, which stay unchanged. */
  skipped: number
  /** Why it ended before its last page; null if it did not. */
  stopped: 'STORAGE_FULL' | null
  /** The page counts of the book, including the recognised text. */
  counts: PageCounts
  /** The language of the pages, by Tesseract's name; null: not known yet. */
  language: string | null
  /** Number of published versions, and the time of the last one (of the start, if there is none). */
  publications: number
  publishedAt: Date
  /** Revisions that an earlier recognition of the book may have left. */
  stale: string[]
  /** Number of workers that have claimed it since its last page; after a few, the page is skipped. */
  attempts: number
  /** Number of claims in total; each claim stores pages under another revision. */
  claims: number
  fence: string | null
  leaseUntil: Date | null
  createdAt: Date
  updatedAt: Date
}

export interface RecognitionStore {
  /** Stores a recognition in place of the book's previous one, whose worker loses its claim. */
  put(recognition: Recognition): Promise<void>
  byItem(accountId: string, itemId: string): Promise<Recognition | null>
  /** The oldest recognition of an account that waits or whose worker has died. */
  findNext(accountId: string, now: Date): Promise<Recognition | null>
  /** Claims a recognition that waits or whose worker has died, with a new fence; null if another worker has it. */
  claim(itemId: string, claim: { fence: string; now: Date; leaseUntil: Date }): Promise<Recognition | null>
  /** Changes a recognition while it has this fence; returns false if another worker has it, or it was replaced. */
  update(itemId: string, fence: string, change: Partial<Recognition>): Promise<boolean>
  /** Accounts with a recognition that waits or whose worker has died; at most 1,000. */
  listAccounts(now: Date): Promise<string[]>
  /** Number of recognitions that wait or run, counted up to `limit`. */
  countUnfinished(limit: number): Promise<number>
  removeByItem(itemId: string): Promise<void>
  /** Finds the recognition of a deleted book; the returned function removes exactly that one. */
  planRemoval(itemId: string): Promise<() => Promise<void>>
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
    countUnfinished: (limit) => rows.countDocuments({ status: { $in: ['WAITING', 'RUNNING'] } }, { limit }),
    async removeByItem(itemId) {
      await rows.deleteOne({ _id: itemId })
    },
    planRemoval: (itemId) => planRemoval(rows, { _id: itemId }, 'createdAt'),
  }
}

function toRecognition(row: Row | null): Recognition | null {
  if (!row) return null
  const { _id, ...fields } = row
  return { itemId: _id, ...fields }
}

/** The filter for recognitions that wait or whose worker has died. */
function claimable(now: Date) {
  return { $or: [{ status: 'WAITING' as const }, { status: 'RUNNING' as const, leaseUntil: { $lt: now } }] }
}
