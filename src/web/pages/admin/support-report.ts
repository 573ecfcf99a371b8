import { html } from 'hono/html'
import { findReport } from '../../../support/find-report.ts'
import { listReports, type ReportEntry } from '../../../support/list-reports.ts'
import { emptyState } from '../../components/empty-state.ts'
import type { Html } from '../../components/html.ts'
import { respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { formatDateTime } from '../../format/format-time.ts'
import type { SignedInVisit } from '../../visit.ts'

const kinds = { bug: 'Bug report', feature: 'Feature request', idea: 'Idea', other: 'Report' } as const
const pageSize = 50

/**
 * Mounts /support: the reports of the account, for administrators those of everybody; and /support/{id}, one of them,
 * visible to its reporter and to administrators.
 */
export function mountSupportReports(routes: PageRoutes): void {
  routes.signedInPage('GET', '/support', reportsPage)
  routes.signedInPage('GET', '/support/:id', reportPage)
}

async function reportsPage(visit: SignedInVisit): Promise<Response> {
  const { ctx, url } = visit
  const { admin } = ctx.actor.account
  const before = url.searchParams.get('before') ?? undefined
  const reports = await listReports(ctx, { before, limit: pageSize + 1 })
  const shown = reports.slice(0, pageSize)
  return respondPage(visit, {
    title: 'Reports',
    content: html`<h1>Reports</h1>
      <p class="lead">
        ${admin ? 'What people reported to the administrators of this server' : 'What you reported to the administrators of this server'},
        newest first.
      </p>
      ${
        shown.length === 0
          ? emptyState({
              icon: 'mail',
              title: 'No reports',
              text: 'Somebody who misses something, or for whom something does not work, can send a report.',
              actions: html`<a class="button quiet" href="/report">Report a problem</a>`,
            })
          : html`<ul class="rows">
              ${shown.map((report) => reportRow(report, admin))}
            </ul>`
      }
      ${reports.length > pageSize ? html`<p><a href="/support?before=${shown.at(-1)?.id ?? ''}">Older reports</a></p>` : ''}`,
  })
}

function reportRow({ id, type, title, reporter, createdAt }: ReportEntry, admin: boolean): Html {
  return html`<li>
    <div>
      <strong><a href="/support/${id}" dir="auto">${title}</a></strong>
      <p class="facts">
        ${kinds[type]}${admin ? html` from <bdi>${reporter}</bdi>` : ''}, ${formatDateTime(createdAt)}
      </p>
    </div>
  </li>`
}

async function reportPage(visit: SignedInVisit): Promise<Response> {
  const { report, reporter } = await findReport(visit.ctx, visit.params['id'] ?? '')
  return respondPage(visit, {
    title: report.title,
    content: html`${
        visit.url.searchParams.get('done') === 'sent'
          ? html`<p class="notice" role="status">Report sent. The administrators of this server can read it.</p>`
          : ''
      }
      <p class="kind"><a href="/support">Reports</a></p>
      <h1 class="under-kind" dir="auto">${report.title}</h1>
      <p class="facts">${kinds[report.type]} from <bdi>${reporter}</bdi>, ${formatDateTime(report.createdAt)}</p>
      <div class="plain-text">${report.body}</div>
      <p class="facts">Only the sender and the administrators of this server can see this page.</p>`,
  })
}
