import { html } from 'hono/html'
import { findAccessibleBooks, type BookAccessStores } from '../../books/access.ts'
import type { Call } from '../../core/context.ts'
import type { Notification } from '../../notifications/store.ts'
import { extractionMessages } from '../../imports/extract/extraction-error.ts'
import { adviceOn } from './import-advice.ts'
import type { Html } from './html.ts'
import { formatDateTime } from '../format/format-time.ts'

/** The target of a notification, with the text of its link. */
export interface NotificationTarget {
  path: string
  label: string
}

/** The notifications about a book that was withdrawn from the marketplace and that the caller can no longer read. */
export async function findLostBooks(
  ctx: Call & BookAccessStores,
  notifications: readonly Notification[],
): Promise<ReadonlySet<Notification>> {
  const withdrawn = notifications.filter(({ type }) => type === 'listing_withdrawn')
  if (withdrawn.length === 0) return new Set()
  const ids = withdrawn.map(({ metadata }) => metadata['itemId']).filter((id) => typeof id === 'string')
  const readable = new Set<unknown>((await findAccessibleBooks(ctx, [...new Set(ids)])).map(({ id }) => id))
  return new Set(withdrawn.filter(({ metadata }) => !readable.has(metadata['itemId'])))
}

/**
 * A notification for people: its title as a link to its subject, its text, and its time. `lost`: the notifications whose
 * book cannot be read any more.
 */
export function notificationText(notification: Notification, lost: ReadonlySet<Notification>): Html {
  const { title, readAt, createdAt } = notification
  const isLost = lost.has(notification)
  const target = isLost ? null : targetOf(notification)
  const body = isLost ? lostWords : bodyOf(notification)
  return html`<div>
    <strong dir="auto">${target ? linkTo(target, notification) : title}</strong>
    ${readAt === null ? html`<span class="tag">New</span>` : ''}
    ${body === '' ? '' : html`<p class="may" dir="auto">${body}</p>`}
    <p class="facts">${formatDateTime(createdAt)}</p>
  </div>`
}

/** The title as a link, which a script marks as read when it is followed. */
function linkTo({ path }: NotificationTarget, { id, title, readAt }: Notification): Html {
  return html`<a href="${path}" ${readAt === null ? html`data-unread-id="${id}"` : ''}>${title}</a>`
}

/** The page about the subject of a notification; null if there is none. */
function targetOf({ type, metadata }: Pick<Notification, 'type' | 'metadata'>): NotificationTarget | null {
  const itemId = metadata['itemId']
  if (type === 'team_invite') return { path: '/invites', label: 'See the invitation' }
  if (type === 'import_failed') return { path: '/imports', label: 'See what to do' }
  if (type === 'folder_imported' && typeof itemId !== 'string')
    return { path: '/library?sort=added', label: 'See the books' }
  if (typeof itemId !== 'string' || itemId === '') return null
  return { path: `/books/${encodeURIComponent(itemId)}`, label: 'Open the book' }
}

/** The text that is stored says that the book stays in the library, which was true at that time. */
const lostWords = 'You can no longer read it: its owner has deleted it, or it was removed from your library.'

/** The text below the title. Texts that are stored for programs are replaced by words for people. */
function bodyOf({ type, body }: Notification): string {
  if (type === 'import_finished') return ''
  if (type === 'team_invite') return 'Open the invitation to accept or decline it.'
  if (type === 'listing_withdrawn')
    return 'It stays in your library, and you can go on reading it. If you remove it, you cannot add it again.'
  if (type === 'import_failed') return failureText(body)
  return body
}

const codeByMessage = new Map(Object.entries(extractionMessages).map(([code, message]) => [message, code]))

/** The text of a failed import, which is stored together with its reason. */
function failureText(body: string): string {
  const code = codeByMessage.get(body)
  if (code === undefined) return body
  const { reason, next } = adviceOn(code)
  return `${reason}. ${next}`
}
