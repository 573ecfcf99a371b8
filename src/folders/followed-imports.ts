import type { BookStores } from '../books/store.ts'
import type { Call } from '../core/context.ts'
import type { AddedBook } from '../imports/add-local-file.ts'
import { isActive } from '../imports/list-imports.ts'
import type { Job, JobStores } from '../imports/store.ts'
import type { FoundFile } from './book-source.ts'
import { createTally, type Tally } from './tally.ts'

/** Tracks the imports of new books until they end. */
export interface FollowedImports {
  follow(book: AddedBook, file: Pick<FoundFile, 'name' | 'bytes'>): void
  /** Checks which imports have ended. */
  checkEnded(): Promise<void>
  /** Number of unfinished imports. */
  size(): number
  /** Imports that wait for a worker, and whether a worker runs any of them. */
  waiting(): { jobIds: string[]; running: boolean }
  /** Totals of the ended imports: files, their bytes, and pages of books. */
  ended(): { files: number; bytes: number; pages: number }
  failed: Tally
  needAttention: Tally
}

export function createFollowedImports(ctx: Call & JobStores & BookStores): FollowedImports {
  const followed = new Map<string, { itemId: string; name: string; bytes: number; status: Job['status'] }>()
  const failed = createTally()
  const needAttention = createTally()
  const ended = { files: 0, bytes: 0, pages: 0 }
  const end = (jobId: string): string => {
    const { name, bytes } = followed.get(jobId) ?? { name: '', bytes: 0 }
    followed.delete(jobId)
    ended.files += 1
    ended.bytes += bytes
    return name
  }
  const describe = async (names: ReadonlyMap<string, string>): Promise<void> => {
    for (const { id, pageCount, health, healthReason } of await ctx.books.findOwned(ctx.actor.id, [...names.keys()])) {
      ended.pages += pageCount
      if (health !== 'ok' && healthReason !== null) needAttention.add(healthReason, names.get(id) ?? '')
    }
  }
  return {
    follow({ itemId, job }, { name, bytes }) {
      followed.set(job.id, { itemId, name, bytes, status: job.status })
    },
    async checkEnded() {
      const ids = [...followed.keys()]
      if (ids.length === 0) return
      const jobs = new Map((await ctx.jobs.byIds(ctx.actor.id, ids)).map((job) => [job.id, job]))
      const read = new Map<string, string>()
      for (const id of ids) {
        const job = jobs.get(id)
        const entry = followed.get(id)
        if (entry && job && isActive(job)) entry.status = job.status
        else if (job?.status === 'SUCCEEDED') read.set(job.itemId, end(id))
        else failed.add(job?.error ?? 'deleted or cancelled while it was imported', end(id))
      }
      await describe(read)
    },
    size: () => followed.size,
    waiting() {
      const entries = [...followed]
      const jobIds = entries.filter(([, { status }]) => status === 'PENDING').map(([id]) => id)
      return { jobIds, running: jobIds.length < entries.length }
    },
    ended: () => ended,
    failed,
    needAttention,
  }
}
