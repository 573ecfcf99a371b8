import type { Clock } from '../core/context.ts'
import { newId } from '../core/ids.ts'
import { systemOwner } from '../books/book.ts'
import type { NotificationStores } from '../notifications/store.ts'
import type { TallyRow } from './tally.ts'

/** The result for files that were added together. */
export interface FolderNews {
  accountId: string
  /** Their origin, in words that follow "from". */
  from: string
  /** The new books; `only` identifies a single one. */
  added: { count: number; only: { itemId: string; name: string } | null }
  /** Files that did not become books and have no notification of their own. */
  refused: readonly TallyRow[]
}

const shownNames = 3

/** Notifies an account once about files that were added together; sends nothing if none was added or refused. */
export async function notifyOfFolder(
  { notifications, now }: Clock & NotificationStores,
  { accountId, from, added, refused }: FolderNews,
): Promise<void> {
  const refusedCount = refused.reduce((sum, { count }) => sum + count, 0)
  if (accountId === systemOwner || added.count + refusedCount === 0) return
  const createdAt = now()
  const books = added.count === 1 ? '1 book was' : `${added.count} books were`
  await notifications.add({
    id: newId(createdAt),
    accountId,
    type: 'folder_imported',
    title: added.only ? `"${added.only.name}" was added from ${from}` : `${books} added from ${from}`,
    body: refused.map(sentenceOf).join(' '),
    metadata: { added: added.count, refused: refusedCount, ...(added.only ? { itemId: added.only.itemId } : {}) },
    createdAt,
    readAt: null,
  })
}

function sentenceOf({ reason, count, names }: TallyRow): string {
  const files = count === 1 ? '1 file was refused' : `${count} files were refused`
  const more = count > shownNames ? ' …' : ''
  return `${files}: ${reason.replace(/\.$/, '')} (${names.slice(0, shownNames).join(', ')}${more}).`
}
