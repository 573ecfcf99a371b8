import type { Collection, Db, Filter, UpdateFilter } from 'mongodb'
import { isDuplicateKey } from '../core/errors.ts'
import { planRemoval } from '../db/plan-removal.ts'
import type { Lane } from './lane.ts'
import type { TurnStores } from '../accounts/turn-store.ts'

/** The reservation of a book for a file that a client is about to upload. */
export interface UploadReservation {
  itemId: string
  accountId: string
  storageKey: string
  filename: string
  contentType: string
  bytes: number
  expiresAt: Date
  /** When the signed URL received its PUT (disk driver only), or a web page received the file. */
  receivedAt: Date | null
  /** SHA-256 of a file that a web page received, hexadecimal. Absent otherwise, and in a row of an earlier version. */
  sha256?: string
  createdAt: Date
}

export interface UploadStore {
  /** Stores a reservation; replaces an earlier one for the same book. */
  put(upload: UploadReservation): Promise<void>
  byItem(accountId: string, itemId: string): Promise<UploadReservation | null>
  byKey(storageKey: string): Promise<UploadReservation | null>
  /** Records when the signed URL received its file; null allows it to receive another one. */
  setReceivedAt(storageKey: string, at: Date | null): Promise<void>
  /** Records when a web page received the file, and its SHA-256. */
  setReceived(storageKey: string, file: { at: Date; sha256: string }): Promise<void>
  /** Finds the reservation of a deleted book; the returned function removes exactly that one. */
  planRemoval(itemId: string): Promise<() => Promise<void>>
}

export interface UploadStores {
  uploads: UploadStore
}

export type JobType = 'import' | 'reprocess'
export type JobStatus = 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED'

/** One run of the import pipeline on a book's file. */
export interface Job {
  id: string
  itemId: string
  accountId: string
  type: JobType
  /** Absent in a row of an earlier version until the sweep sets it. */
  lane?: Lane
  /** Size of the file; shorter ones come first. Absent like `lane`. */
  bytes?: number
  /** 1 if an earlier attempt failed: such a job comes after others. Absent like `lane`. */
  retry?: 0 | 1
  status: JobStatus
  /**
   * Set for many files that were added together: success is reported jointly, and only a failure has its own
   * notification. Absent: the end has its own notification.
   */
  told?: 'together'
  /** The password of the file, encrypted by `ImportPasswords`; removed once the job has ended. */
  sealedPassword?: string
  /** Percent, 0 to 100. */
  progress: number
  stage: string
  /**
   * Pages read so far, and their total if it is known. Absent before the first page, and in a row of an earlier
   * version.
   */
  pages?: { done: number; total: number | null }
  error: string | null
  errorCode: string | null
  attempts: number
  /**
   * Identifies the current attempt and guards its updates: the fence of a worker that has lost its lease no longer
   * matches.
   */
  fence: string | null
  /** The worker extends it while it works; after this time another worker may take over. */
  leaseUntil: Date | null
  createdAt: Date
  updatedAt: Date
}

/** The fields that decide the order of a job. */
export type ClaimableJob = Pick<Job, 'id' | 'accountId' | 'leaseUntil' | 'createdAt'> &
  Required<Pick<Job, 'lane' | 'bytes' | 'retry'>>

export interface JobStore {
  add(job: Job): Promise<void>
  byId(accountId: string, id: string): Promise<Job | null>
  /** The account's jobs, newest first, at most `limit`. */
  list(accountId: string, limit: number): Promise<Job[]>
  /** Those of `ids` that belong to the account. */
  byIds(accountId: string, ids: readonly string[]): Promise<Job[]>
  /** The account's waiting and running jobs, oldest first, at most 500. */
  listActive(accountId: string): Promise<Job[]>
  /** The account's jobs that changed after `since`, the last change first, at most `limit`. */
  listChanged(accountId: string, { since, limit }: { since: Date; limit: number }): Promise<Job[]>
  /**
   * Claims a waiting job, or a running one whose lease has expired, with a new fence; null if there is nothing to
   * claim.
   */
  claim(id: string, claim: { fence: string; now: Date; leaseUntil: Date }): Promise<Job | null>
  /** Changes a job while it has this fence; false if another worker has taken over or the job was cancelled. */
  update(id: string, fence: string, change: Partial<Job>): Promise<boolean>
  /** Ends a job, after which no worker can update it; false if it has ended already. */
  end(id: string, change: Pick<Job, 'status' | 'error' | 'errorCode' | 'updatedAt'>): Promise<boolean>
  /** Jobs that are waiting or whose lease expired before `now`, the newest first, at most 1,000. */
  listClaimable(now: Date): Promise<Job[]>
  /** The accounts of all these jobs, with the lanes in which they have some. Omits jobs of earlier versions without a lane. */
  listClaimableAccounts(now: Date): Promise<{ accountId: string; lane: Lane }[]>
  /** Jobs that workers have claimed, including those whose lease has expired. */
  listRunning(): Promise<ClaimableJob[]>
  /** When the waiting jobs of all accounts were added, at most `limit`, in no order. */
  listWaitingTimes(limit: number): Promise<Date[]>
  /** The oldest waiting job of an account in a lane, and the one to run first: not failed before, then shortest. */
  listFirstWaiting(accountId: string, lane: Lane): Promise<ClaimableJob[]>
  countWaiting(accountId: string): Promise<number>
  /** Sets the fields that decide the order on a job of an earlier version. */
  setOrder(id: string, order: Required<Pick<Job, 'lane' | 'bytes' | 'retry'>>): Promise<void>
  /** Finds the jobs of a deleted book; the returned function removes exactly these. */
  planRemoval(itemId: string): Promise<() => Promise<void>>
}

export interface JobStores extends TurnStores {
  jobs: JobStore
}

type UploadRow = Omit<UploadReservation, 'itemId'> & { _id: string }
type JobRow = Omit<Job, 'id'> & { _id: string }

const activeStatuses: JobStatus[] = ['PENDING', 'RUNNING']

/** Upload reservations on MongoDB: collection `uploads`, one row per book. */
export function createUploadStore(db: Db): UploadStore {
  const uploads = db.collection<UploadRow>('uploads')
  return {
    async put({ itemId, ...fields }) {
      await uploads.replaceOne({ _id: itemId }, fields, { upsert: true })
    },
    byItem: async (accountId, itemId) => toUpload(await uploads.findOne({ _id: itemId, accountId })),
    byKey: async (storageKey) => toUpload(await uploads.findOne({ storageKey })),
    async setReceivedAt(storageKey, receivedAt) {
      await uploads.updateOne({ storageKey }, { $set: { receivedAt }, $unset: { sha256: '' } })
    },
    async setReceived(storageKey, { at, sha256 }) {
      await uploads.updateOne({ storageKey }, { $set: { receivedAt: at, sha256 } })
    },
    planRemoval: (itemId) => planRemoval(uploads, { _id: itemId }, 'storageKey'),
  }
}

/** Import jobs on MongoDB: collection `jobs`, which holds their state. The queue only wakes the workers. */
export function createJobStore(db: Db): JobStore {
  const jobs = db.collection<JobRow>('jobs')
  return { ...jobReadMethods(jobs), ...jobWriteMethods(jobs) }
}

function claimable(now: Date): Filter<JobRow> {
  return { $or: [{ status: 'PENDING' }, { status: 'RUNNING', leaseUntil: { $lt: now } }] }
}

function jobReadMethods(jobs: Collection<JobRow>) {
  const findOne = async (filter: Filter<JobRow>) => toJob(await jobs.findOne(filter, { sort: { createdAt: -1 } }))
  const list = async (filter: Filter<JobRow>, limit: number) =>
    (await jobs.find(filter).sort({ createdAt: -1 }).limit(limit).toArray()).map((row) => toJob(row))
  const listOrder = async (filter: Filter<JobRow>, sort: Record<string, 1>, limit: number) => {
    const rows = await jobs.find(filter, { projection: orderFields }).sort(sort).limit(limit).toArray()
    return rows.map(toClaimableJob)
  }
  return {
    listRunning: () => listOrder({ status: 'RUNNING' }, { leaseUntil: 1 }, 1000),
    async listWaitingTimes(limit: number) {
      const waiting = jobs.find({ status: 'PENDING' }, { projection: { _id: 0, createdAt: 1 } })
      return (await waiting.limit(limit).toArray()).map(({ createdAt }) => createdAt)
    },
    async listFirstWaiting(accountId: string, lane: Lane) {
      const filter: Filter<JobRow> = { accountId, lane, status: 'PENDING' }
      const byAge = listOrder(filter, { createdAt: 1 }, 1)
      const byLength = listOrder(filter, { retry: 1, bytes: 1 }, 1)
      return [...(await byAge), ...(await byLength)]
    },
    countWaiting: (accountId: string) => jobs.countDocuments({ accountId, status: 'PENDING' }),
    byId: (accountId: string, id: string) => findOne({ _id: id, accountId }),
    list: (accountId: string, limit: number) => list({ accountId }, limit),
    byIds: (accountId: string, ids: readonly string[]) => list({ _id: { $in: [...ids] }, accountId }, ids.length),
    async listActive(accountId: string) {
      const active = await list({ accountId, status: { $in: activeStatuses } }, 500)
      return active.reverse()
    },
    async listChanged(accountId: string, { since, limit }: { since: Date; limit: number }) {
      const found = jobs.find({ accountId, updatedAt: { $gt: since } }).sort({ updatedAt: -1 })
      return (await found.limit(limit).toArray()).map((row) => toJob(row))
    },
    listClaimable: (now: Date) => list(claimable(now), 1000),
    async listClaimableAccounts(now: Date) {
      const rows = jobs.aggregate<{ _id: { accountId: string; lane?: Lane } }>([
        { $match: claimable(now) },
        { $group: { _id: { accountId: '$accountId', lane: '$lane' } } },
      ])
      return (await rows.toArray()).flatMap(({ _id: { accountId, lane } }) => (lane ? [{ accountId, lane }] : []))
    },
  }
}

function jobWriteMethods(jobs: Collection<JobRow>) {
  return {
    async add({ id, ...fields }: Job) {
      try {
        await jobs.insertOne({ _id: id, ...fields })
      } catch (error) {
        if (!isDuplicateKey(error)) throw error
      }
    },
    async claim(id: string, { fence, now, leaseUntil }: { fence: string; now: Date; leaseUntil: Date }) {
      const row = await jobs.findOneAndUpdate(
        { _id: id, $or: [{ status: 'PENDING' }, { status: 'RUNNING', leaseUntil: { $lt: now } }] },
        {
          $set: { status: 'RUNNING', fence, leaseUntil, stage: 'starting', progress: 0, updatedAt: now },
          $unset: { pages: '' },
          $inc: { attempts: 1 },
        },
        { returnDocument: 'after' },
      )
      return toJob(row)
    },
    async update(id: string, fence: string, { id: _, ...change }: Partial<Job>) {
      const set = updateFor(change)
      return (await jobs.updateOne({ _id: id, fence, status: 'RUNNING' }, set)).matchedCount === 1
    },
    async end(id: string, change: Pick<Job, 'status' | 'error' | 'errorCode' | 'updatedAt'>) {
      return (await jobs.updateOne({ _id: id, status: { $in: activeStatuses } }, updateFor(change))).matchedCount === 1
    },
    async setOrder(id: string, order: Pick<Job, 'lane' | 'bytes' | 'retry'>) {
      await jobs.updateOne({ _id: id, lane: { $exists: false } }, { $set: order })
    },
    planRemoval: (itemId: string) => planRemoval(jobs, { itemId }),
  }
}

/** The update for a change; a change that ends a job erases its password. */
function updateFor(change: Partial<Omit<Job, 'id'>>): UpdateFilter<JobRow> {
  const ends = change.status !== undefined && !activeStatuses.includes(change.status)
  return { $set: change, ...(ends ? { $unset: { sealedPassword: '' } } : {}) }
}

const orderFields = { accountId: 1, leaseUntil: 1, createdAt: 1, lane: 1, bytes: 1, retry: 1 } as const

function toClaimableJob({ _id, accountId, leaseUntil, createdAt, lane, bytes, retry }: JobRow): ClaimableJob {
  return { id: _id, accountId, leaseUntil, createdAt, lane: lane ?? 'layout', bytes: bytes ?? 0, retry: retry ?? 0 }
}

function toUpload(row: UploadRow | null): UploadReservation | null {
  if (!row) return null
  const { _id, ...fields } = row
  return { itemId: _id, ...fields }
}

function toJob(row: JobRow): Job
function toJob(row: JobRow | null): Job | null
function toJob(row: JobRow | null): Job | null {
  if (!row) return null
  const { _id, ...fields } = row
  return { id: _id, ...fields }
}
