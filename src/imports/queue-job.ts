import type { Book } from '../books/book.ts'
import type { BookStores } from '../books/store.ts'
import type { Clock } from '../core/context.ts'
import { laneOf, roundsOf, type Lane } from './lane.ts'
import type { QueueServices } from './queue.ts'
import type { Job, JobStores } from './store.ts'

/** Stores a waiting job for the file of a book, and queues it. Idempotent. */
export async function queueJob(
  { jobs, turns, queue, importPasswords, now }: Clock & JobStores & QueueServices,
  book: Pick<Book, 'id' | 'ownerId' | 'sourceType' | 'original'>,
  { password, ...fields }: Pick<Job, 'id' | 'type' | 'retry' | 'told'> & { password?: string | undefined },
): Promise<Job> {
  const lane = laneOf(book.sourceType)
  const createdAt = now()
  const job: Job = {
    retry: 0,
    ...fields,
    ...(password ? { sealedPassword: importPasswords.seal(password, fields.id) } : {}),
    itemId: book.id,
    accountId: book.ownerId,
    lane,
    bytes: book.original?.bytes ?? 0,
    status: 'PENDING',
    progress: 0,
    stage: 'waiting',
    error: null,
    errorCode: null,
    attempts: 0,
    fence: null,
    leaseUntil: null,
    createdAt,
    updatedAt: createdAt,
  }
  await jobs.add(job)
  await joinRounds({ turns }, job.accountId, lane)
  await queue.enqueue({ id: job.id, lane })
  return job
}

/** Puts an account into the rounds of a lane. */
export async function joinRounds({ turns }: Pick<JobStores, 'turns'>, accountId: string, lane: Lane) {
  for (const round of roundsOf(lane)) await turns.join(accountId, round)
}

/** Gives a job that an earlier version has stored its lane and sort order; returns the lane. */
export async function orderJob({ books, jobs }: BookStores & JobStores, job: Job): Promise<Lane> {
  const [book] = await books.findOwned(job.accountId, [job.itemId])
  const lane = laneOf(book?.sourceType ?? 'pdf')
  await jobs.setOrder(job.id, { lane, bytes: book?.original?.bytes ?? 0, retry: job.attempts > 0 ? 1 : 0 })
  return lane
}
