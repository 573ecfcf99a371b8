import { html } from 'hono/html'
import { findReport } from '../../../support/find-report.ts'
import { respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { formatDateTime } from '../../format/format-time.ts'

const kinds = { bug: 'Bug report', feature: 'Feature request', idea: 'Idea', other: 'Report' } as const

/** Mounts /support/{id}: a report, visible to its reporter and to administrators. */
export function mountSupportReport(routes: PageRoutes): void {
  routes.signedInPage('GET', '/support/:id', async (visit) => {
    const { report, reporter } = await findReport(visit.ctx, visit.params['id'] ?? '')
    return respondPage(visit, {
      title: report.title,
      content: html`${
          visit.url.searchParams.get('done') === 'sent'
            ? html`<p class="notice" role="status">Report sent. The administrators of this server can read it.</p>`
            : ''
        }
        <p class="kind">${kinds[report.type]}</p>
        <h1 class="under-kind">${report.title}</h1>
        <p class="facts">From ${reporter}, ${formatDateTime(report.createdAt)}</p>
        <div class="plain-text">${report.body}</div>
        <p class="facts">Only the sender and the administrators of this server can see this page.</p>`,
    })
  })
}
