import type { Book } from '../books/book.ts'
import type { BookStores } from '../books/store.ts'
import type { Call } from '../core/context.ts'
import type { Job, JobStores } from './store.ts'

/** The progress of an import, for the owner of the book. */
export interface ImportState extends Pick<Job, 'id' | 'itemId' | 'type' | 'status' | 'stage' | 'errorCode'> {
  /** Pages read so far, and their total if it is known; null before the first page. */
  pages: { done: number; total: number | null } | null
  /** Number of the account's queued files before it; null unless it waits. */
  ahead: number | null
  createdAt: string
  updatedAt: string
}

/** An import with its book; null: the book has just been deleted. */
export interface ImportOfBook extends ImportState {
  book: Pick<Book, 'id' | 'title' | 'language' | 'status' | 'health' | 'healthReason' | 'pageCount'> | null
}

/** Which ended imports to list in addition to waiting and running ones. */
export interface ImportsRequest {
  changedSince: Date
  /** Maximum number of ended imports. */
  limit: number
}

/**
 * The caller's running imports, then the waiting ones in queue order, then those that ended since `changedSince`,
 * newest first.
 */
export async function listImports(
  { actor, jobs }: Call & JobStores,
  { changedSince, limit }: ImportsRequest,
): Promise<ImportState[]> {
  const [active, changed] = await Promise.all([
    jobs.listActive(actor.id),
    jobs.listChanged(actor.id, { since: changedSince, limit }),
  ])
  const activeIds = new Set(active.map(({ id }) => id))
  const ended = changed.filter((job) => !isActive(job) && !activeIds.has(job.id))
  const running = active.filter(({ status }) => status === 'RUNNING')
  const waiting = inTurn(active.filter(({ status }) => status === 'PENDING'))
  return [
    ...running.map((job) => presentState(job)),
    ...waiting.map(({ job, ahead }) => presentState(job, ahead)),
    ...ended.map((job) => presentState(job)),
  ]
}

/** Maximum number of books needing attention among which failed imports are looked for. */
const maxNeedingAttention = 1000

/**
 * The caller's imports with their books, in the order of `listImports`; then those older imports that left a book
 * without text, newest book first.
 */
export async function listImportsOfBooks(
  ctx: Call & JobStores & BookStores,
  request: ImportsRequest,
): Promise<ImportOfBook[]> {
  const [states, needingAttention] = await Promise.all([
    listImports(ctx, request),
    ctx.books.listNeedingAttention(ctx.actor.id, maxNeedingAttention),
  ])
  const listed = new Set(states.map(({ itemId }) => itemId))
  const failed = needingAttention.filter(({ id, status }) => status === 'FAILED' && !listed.has(id))
  const [found, older] = await Promise.all([
    ctx.books.findOwned(ctx.actor.id, [...listed]),
    findImports(
      ctx,
      failed.flatMap(({ jobId }) => jobId ?? []),
    ),
  ])
  const books = new Map([...found, ...failed].map((book) => [book.id, book]))
  return [...states, ...older.values()].map((state) => ({ ...state, book: books.get(state.itemId) ?? null }))
}

/**
 * The caller's imports among `jobIds`, by id: one query for a list of books. Does not determine their queue positions.
 */
export async function findImports(
  { actor, jobs }: Call & JobStores,
  jobIds: readonly string[],
): Promise<Map<string, ImportState>> {
  if (jobIds.length === 0) return new Map()
  return new Map((await jobs.byIds(actor.id, jobIds)).map((job) => [job.id, presentState(job)]))
}

/** True while an import waits or runs. */
export function isActive({ status }: Pick<ImportState, 'status'>): boolean {
  return status === 'PENDING' || status === 'RUNNING'
}

/**
 * The order in which the waiting jobs of one account run, in each lane separately: first those that have not failed,
 * then by file size.
 */
function inTurn(waiting: readonly Job[]): { job: Job; ahead: number }[] {
  const order = waiting.toSorted((a, b) => (a.retry ?? 0) - (b.retry ?? 0) || (a.bytes ?? 0) - (b.bytes ?? 0))
  const countByLane = new Map<Job['lane'], number>()
  return order.map((job) => {
    const ahead = countByLane.get(job.lane) ?? 0
    countByLane.set(job.lane, ahead + 1)
    return { job, ahead }
  })
}

function presentState(job: Job, ahead: number | null = null): ImportState {
  const { id, itemId, type, status, stage, errorCode, pages = null, createdAt, updatedAt } = job
  const times = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() }
  return { id, itemId, type, status, stage, errorCode, pages, ahead, ...times }
}
