import { systemOwner, type Book } from '../books/book.ts'
import type { Job } from './store.ts'
import type { Clock } from '../core/context.ts'
import type { NotificationStores } from '../notifications/store.ts'

/** Tells the owner how an import ended; once, however often it is called. `error` is null for one that succeeded. */
export async function notifyImportEnded(
  { notifications, now }: Clock & NotificationStores,
  job: Job,
  { title, error }: { title: Book['title']; error: string | null },
): Promise<void> {
  if (job.accountId === systemOwner) return
  await notifications.add({
    id: job.id,
    accountId: job.accountId,
    type: error === null ? 'import_finished' : 'import_failed',
    title: error === null ? `"${title}" is ready` : `"${title}" could not be imported`,
    body: error ?? 'The book can be read now.',
    metadata: { itemId: job.itemId, jobId: job.id },
    createdAt: now(),
    readAt: null,
  })
}
