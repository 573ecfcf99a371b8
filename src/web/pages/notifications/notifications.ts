import { html } from 'hono/html'
import { MarkedRead } from '../../../notifications/schema.ts'
import {
  countUnread,
  listNotificationPage,
  markAllNotificationsRead,
  type NotificationPage,
} from '../../../notifications/list-notifications.ts'
import type { Notification } from '../../../notifications/store.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import { chips } from '../../components/chips.ts'
import { emptyState } from '../../components/empty-state.ts'
import { formProblem, hiddenField } from '../../components/fields.ts'
import { icon } from '../../components/icon.ts'
import type { Html } from '../../components/html.ts'
import { findLostBooks, notificationText } from '../../components/notification-text.ts'
import { handleForm, readSessionForm, type Form, type FormState } from '../../form.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { scriptAnswer } from '../../script-answers.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'
import { unreadText } from '../../components/unread-count.ts'
import { notificationMenu } from './menu.ts'

const pageSize = 30

/** Mounts /notifications, and the data for the menu in the header. */
export function mountNotifications(routes: PageRoutes): void {
  routes.signedInPage('GET', '/notifications', (visit) => notificationsPage(visit))
  routes.scriptRoute('GET', '/notifications/menu', notificationMenu)
  routes.scriptRoute('GET', '/notifications/unread', async ({ ctx }) =>
    scriptAnswer({ unread: unreadText(await countUnread(ctx)) }),
  )
  routes.signedInPage('POST', '/notifications/read', (visit) =>
    handleForm({
      read: () => readSessionForm(visit),
      async submit(form) {
        const ids = form.getAll('id')
        await callToolForVisit(visit, { name: 'mark_notifications_read', raw: { ids } }, MarkedRead)
        return redirect(visit, nextPath(form))
      },
      renderAgain: ({ problem }) => notificationsPage(visit, problem ? { problem } : {}),
    }),
  )
  routes.signedInPage('POST', '/notifications/read-all', (visit) =>
    handleForm({
      read: () => readSessionForm(visit),
      async submit(form) {
        await markAllNotificationsRead(visit.ctx, { until: untilOf(form, visit) })
        return redirect(visit, '/notifications?done=all')
      },
      renderAgain: ({ problem }) => notificationsPage(visit, problem ? { problem } : {}),
    }),
  )
}

/** The path of the page of the list that contained the form. */
function nextPath(form: Form): string {
  const query = new URLSearchParams({ done: 'one' })
  if (form.get('show') === 'unread') query.set('show', 'unread')
  const cursor = form.get('cursor') ?? ''
  if (cursor !== '') query.set('cursor', cursor)
  return `/notifications?${query}`
}

/** The time of the newest notification on the page that contained the form. */
function untilOf(form: Form, { ctx }: SignedInVisit): Date {
  const until = new Date(form.get('until') ?? '')
  return Number.isNaN(until.getTime()) ? ctx.now() : until
}

const notices: Record<string, string> = { one: 'Marked as read.', all: 'All are marked as read.' }

async function notificationsPage(visit: SignedInVisit, state: FormState = {}): Promise<Response> {
  const { ctx, url } = visit
  const unread = url.searchParams.get('show') === 'unread'
  const cursor = url.searchParams.get('cursor')
  const [page, unreadCount] = await Promise.all([
    listNotificationPage(ctx, { unread, cursor, limit: pageSize }),
    countUnread(ctx),
  ])
  const lost = await findLostBooks(ctx, page.notifications)
  const done = url.searchParams.get('done') ?? ''
  const notice = !state.problem && Object.hasOwn(notices, done) ? notices[done] : null
  return respondPage(visit, {
    title: 'Notifications',
    problem: state.problem,
    content: html`<h1>Notifications</h1>
      ${notice ? html`<p class="notice" role="status">${notice}</p>` : ''} ${formProblem(state)}
      ${toolbar(visit, { unread, unreadCount, newest: page.notifications[0] })}
      ${list(visit, page, { unread, cursor, lost })}`,
  })
}

interface ToolbarState {
  unread: boolean
  unreadCount: number
  newest: Notification | undefined
}

function toolbar(visit: SignedInVisit, { unread, unreadCount, newest }: ToolbarState): Html {
  return html`<div class="page-head">
    ${chips('Which notifications', [
      { label: 'All', url: '/notifications', current: !unread },
      { label: 'Unread', url: '/notifications?show=unread', current: unread, count: unreadText(unreadCount) },
    ])}
    ${
      unreadCount > 0 && newest
        ? html`<form method="post" action="/notifications/read-all">
            ${hiddenField('csrf', sessionToken(visit))} ${hiddenField('until', newest.createdAt.toISOString())}<button
              class="quiet"
            >
              ${icon('check')}Mark all as read
            </button>
          </form>`
        : ''
    }
  </div>`
}

interface Part {
  unread: boolean
  cursor: string | null
  /** The notifications whose book cannot be read any more. */
  lost: ReadonlySet<Notification>
}

function list(visit: SignedInVisit, { notifications, nextCursor }: NotificationPage, part: Part): Html {
  if (notifications.length === 0) return part.unread ? noUnread : none
  const next = new URLSearchParams({ ...(part.unread ? { show: 'unread' } : {}), cursor: nextCursor ?? '' })
  return html`<ul class="rows notifications">
      ${notifications.map((one) => row(visit, one, part))}
    </ul>
    ${nextCursor === null ? '' : html`<p class="pager"><a class="button quiet" href="/notifications?${next}">Older notifications</a></p>`}`
}

const none = emptyState({
  icon: 'bell',
  title: 'You have no notifications yet',
  text: 'Notifications tell you when a book is ready, when somebody shares a book with you, and when you are invited to a team.',
  actions: html`<a class="button" href="/add">${icon('plus')}Add books</a>`,
})
const noUnread = emptyState({
  icon: 'check',
  title: 'You have read everything',
  text: 'Notifications that you have read stay in the full list.',
  actions: html`<a class="button quiet" href="/notifications">Show all notifications</a>`,
})

function row(visit: SignedInVisit, notification: Notification, { unread, cursor, lost }: Part): Html {
  const { id, title, readAt } = notification
  return html`<li class="${readAt === null ? 'unread' : ''}">
    ${notificationText(notification, lost)}
    ${
      readAt === null
        ? html`<form method="post" action="/notifications/read" class="actions">
            ${hiddenField('csrf', sessionToken(visit))} ${hiddenField('id', id)}
            ${unread ? hiddenField('show', 'unread') : ''} ${cursor === null ? '' : hiddenField('cursor', cursor)}
            <button class="quiet small" aria-label="Mark as read: ${title}">Mark as read</button>
          </form>`
        : ''
    }
  </li>`
}
