import { html } from 'hono/html'
import type { Plan } from '../core/plan.ts'
import type { Html } from './layout.ts'
import { respond } from './respond.ts'
import type { PageRoutes } from './routes.ts'
import type { Visit } from './visit.ts'

/** Mounts /plans: what each plan allows; it is where refusals at a plan's limit lead to. */
export function mountPlans(routes: PageRoutes): void {
  routes.open('GET', '/plans', plansPage)
}

function plansPage(visit: Visit): Promise<Response> {
  const { plans } = visit.site.services
  const own = visit.signedIn?.actor.plan.tier
  return respond(visit, {
    title: 'Plans',
    wide: true,
    content: html`<h1>Plans</h1>
      <p class="lead">
        The administrator of this server puts an account on another plan. Ask them; it takes effect at once.
      </p>
      <ul class="plans">
        ${plans.tiers.map((tier) => planCard(plans.of(tier), tier === own))}
      </ul>
      <p>
        On a smaller plan every book stays in the library; those beyond its limit are locked, and you pick
        ${own === undefined ? 'which' : html`<a href="/library/usable">which</a>`}.
      </p>
      <p>For administrators: <code>lectern user plan --email ADDRESS --plan TIER</code></p>`,
  })
}

function planCard(plan: Plan, own: boolean): Html {
  const { tier, tierDisplay, itemLimit, monthlyReadLimit, previewPages, uploadMb } = plan
  const rows: readonly [string, string][] = [
    ['Books', count(itemLimit)],
    ['Reads a month', monthlyReadLimit === null ? 'No limit' : count(monthlyReadLimit)],
    ['Pro books', previewPages === null ? 'In full' : `First ${previewPages === 1 ? 'page' : `${previewPages} pages`}`],
    ['Largest file', `${count(uploadMb)} MB`],
    ['Shelves', count(plan.shelfLimit)],
    ['Active manuscripts', count(plan.manuscriptSlots)],
    ['Publishing', plan.canPublish ? 'Yes' : 'No'],
  ]
  return html`<li class="${own ? 'plan own' : 'plan'}">
    <h2>${tierDisplay}${own ? html` <span class="tag">Your plan</span>` : ''}</h2>
    <p class="facts"><code>${tier}</code></p>
    <dl class="facts-list">
      ${rows.map(
        ([label, value]) =>
          html`<div>
            <dt>${label}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
    </dl>
  </li>`
}

function count(number: number): string {
  return number.toLocaleString('en-GB')
}
