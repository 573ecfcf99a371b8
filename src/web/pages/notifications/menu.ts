import { html } from 'hono/html'
import { countUnread, listNotificationPage } from '../../../notifications/list-notifications.ts'
import { hiddenField } from '../../components/fields.ts'
import { findLostBooks, notificationText } from '../../components/notification-text.ts'
import { unreadText } from '../../components/unread-count.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'

const latest = 8

/**
 * The latest eight notifications as an HTML fragment for the menu in the header: one element with the class
 * `latest-notifications` and the number of unread ones in `data-unread`.
 */
export async function notificationMenu(visit: SignedInVisit): Promise<Response> {
  const { ctx } = visit
  const [{ notifications }, unread] = await Promise.all([
    listNotificationPage(ctx, { unread: false, cursor: null, limit: latest }),
    countUnread(ctx),
  ])
  const lost = await findLostBooks(ctx, notifications)
  const [newest] = notifications
  const fragment = html`<div class="latest-notifications" data-unread="${unreadText(unread)}">
    ${
      newest === undefined
        ? html`<p>You have no notifications yet.</p>`
        : html`<ul class="rows notifications">
            ${notifications.map(
              (one) => html`<li class="${one.readAt === null ? 'unread' : ''}">${notificationText(one, lost)}</li>`,
            )}
          </ul>`
    }
    <div class="actions">
      <a href="/notifications">All notifications</a>
      ${
        unread > 0 && newest
          ? html`<form method="post" action="/notifications/read-all">
              ${hiddenField('csrf', sessionToken(visit))} ${hiddenField('until', newest.createdAt.toISOString())}<button
                class="quiet small"
              >
                Mark all as read
              </button>
            </form>`
          : ''
      }
    </div>
  </div>`
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' }
  return new Response(String(await fragment), { headers })
}
