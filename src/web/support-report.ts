import { html } from 'hono/html'
import { readReport } from '../support/find-report.ts'
import { respond } from './respond.ts'
import type { PageRoutes } from './routes.ts'
import { momentOf } from './format-time.ts'

const kinds = { bug: 'Bug report', feature: 'Feature request', idea: 'Idea', other: 'Report' } as const

/** Mounts /support/{id}: a report, for its reporter and for administrators. */
export function mountSupportReport(routes: PageRoutes): void {
  routes.signedIn('GET', '/support/:id', async (visit) => {
    const { report, reporter } = await readReport(visit.ctx, visit.params.id ?? '')
    return respond(visit, {
      title: report.title,
      content: html`<p class="kind">${kinds[report.type]}</p>
        <h1 class="under-kind">${report.title}</h1>
        <p class="facts">From ${reporter}, ${momentOf(report.createdAt)}</p>
        <div class="plain-text">${report.body}</div>
        <p class="facts">The administrators of this server and the sender can read this page.</p>`,
    })
  })
}
