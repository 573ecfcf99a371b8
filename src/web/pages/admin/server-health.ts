import { html } from 'hono/html'
import { version } from '../../../core/version.ts'
import type { PartHealth } from '../../../health/check.ts'
import type { Html } from '../../components/html.ts'
import { icon } from '../../components/icon.ts'
import { formatDateTime } from '../../format/format-time.ts'
import { respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import type { SignedInVisit } from '../../visit.ts'
import { requireAdministrator } from './require-administrator.ts'

/** Mounts /admin/server: how the parts of the server are, for administrators; other users get NOT_FOUND. */
export function mountServerHealth(routes: PageRoutes): void {
  routes.signedInPage('GET', '/admin/server', serverPage)
}

async function serverPage(visit: SignedInVisit): Promise<Response> {
  requireAdministrator(visit)
  const { health } = visit.site
  const parts = await health.check()
  const problems = parts.filter(({ ok }) => !ok)
  const others = parts.filter(({ ok }) => ok)
  return respondPage(visit, {
    title: 'Server',
    content: html`<h1>Server</h1>
      <p class="lead">
        ${
          problems.length === 0
            ? 'All parts of this server work.'
            : `${problems.length === 1 ? 'One part of this server needs' : `${problems.length} parts of this server need`} your attention.`
        }
      </p>
      <ul class="rows parts">
        ${[...problems, ...others].map(partRow)}
      </ul>
      <p class="facts">
        Lectern ${version}, running since ${formatDateTime(health.startedAt)}. If several processes serve this library,
        each shows its own mail, disk space and text recognition. <code>${visit.ctx.command} doctor</code> also checks
        the stored data.
      </p>`,
  })
}

function partRow({ title, ok, detail, remedy }: PartHealth): Html {
  return html`<li ${ok ? '' : html`class="attention"`}>
    ${icon(!ok ? 'triangle-alert' : remedy === null ? 'circle-check' : 'info')}
    <div>
      <strong>${title}</strong>${ok ? '' : html` <span class="tag">Needs attention</span>`}
      <p>${detail}</p>
      ${remedy === null ? '' : html`<p ${ok ? html`class="facts"` : ''}>${remedy}</p>`}
    </div>
  </li>`
}

/** A notice for administrators that names the parts of the server that need attention; empty for others, and if all parts work. */
export async function serverNotice({ ctx, site }: Pick<SignedInVisit, 'ctx' | 'site'>): Promise<Html | ''> {
  if (!ctx.actor.account.admin) return ''
  const problems = await site.health.knownProblems()
  if (problems.length === 0) return ''
  return html`<p class="problem" role="status">
    The server needs your attention: ${problems.map(({ title }) => title.toLowerCase()).join(', ')}.
    <a href="/admin/server">See what to do</a>
  </p>`
}
