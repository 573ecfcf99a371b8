import { systemOwner, type Book } from '../books/book.ts'
import type { Job } from './store.ts'
import type { Clock } from '../core/context.ts'
import type { NotificationStores } from '../notifications/store.ts'

/**
 * Notifies the owner of the end of an import: once per job, however often it is called. `error` is null for a
 * successful import, which is reported jointly with others that came with it.
 */
export async function notifyImportEnded(
  { notifications, now }: Clock & NotificationStores,
  job: Job,
  { title, error }: { title: Book['title']; error: string | null },
): Promise<void> {
  if (job.accountId === systemOwner || (error === null && job.told === 'together')) return
  await notifications.add({
    id: job.id,
    accountId: job.accountId,
    type: error === null ? 'import_finished' : 'import_failed',
    title: error === null ? `"${title}" is ready` : `"${title}" could not be imported`,
    body: error ?? 'You can read the book now.',
    metadata: { itemId: job.itemId, jobId: job.id },
    createdAt: now(),
    readAt: null,
  })
}
