import { html } from 'hono/html'
import type { Plan } from '../../../core/plan.ts'
import type { Html } from '../../components/html.ts'
import { factsList } from '../../components/facts-list.ts'
import { AppError } from '../../../core/errors.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import type { Visit } from '../../visit.ts'

/**
 * Mounts /plans: the limits of each plan. Refusals at a plan's limit link to it. Also redirects clients that know the
 * page's path on other servers, or that prepend the base URL to an absolute URL.
 */
export function mountPlans(routes: PageRoutes): void {
  routes.publicPage('GET', '/plans', plansPage)
  routes.publicPage('GET', '/billing', (visit) => redirect(visit, '/plans'))
  routes.publicPage('GET', '/:scheme{https?:}/*', redirectToOwnAddress)
}

/** Redirects `/https://host/plans` to `/plans` if the URL is one of this server; proxies may merge the slashes. */
function redirectToOwnAddress(visit: Visit): Response {
  const { pathname, search } = visit.url
  const address = `${pathname}${search}`.replace(/^\/(https?:)\/+/, '$1//')
  const { baseUrl } = visit.site
  if (!address.startsWith(`${baseUrl}/`)) throw new AppError('NOT_FOUND', `No page found at ${pathname}.`)
  return redirect(visit, `/${address.slice(baseUrl.length).replace(/^\/+/, '')}`)
}

function plansPage(visit: Visit): Promise<Response> {
  const { plans, command } = visit.site.services
  const currentTier = visit.signedIn?.actor.plan.tier
  const isAdministrator = visit.signedIn?.actor.account.admin === true
  return respondPage(visit, {
    title: 'Plans',
    width: 'wide',
    content: html`<h1>Plans</h1>
      <p class="lead">
        ${isAdministrator ? html`To change the plan of an account: <code>${command} user plan --email ADDRESS --plan TIER</code>.` : 'Ask the administrator of this server to change your plan.'}
        The change takes effect at once.
      </p>
      <ul class="plans">
        ${plans.tiers.map((tier) => planCard(plans.byTier(tier), { isCurrent: tier === currentTier, isAdministrator }))}
      </ul>
      <p>
        Opening pages of a book, by you or by an assistant, is one read, however many pages; searching costs none. Pro
        books are books by others that only readers with a Pro plan read in full. Active manuscripts are books that
        assistants keep up to date for you.
      </p>
      <p>
        If you move to a smaller plan, all your books stay in the library. Those beyond its limit are locked; you choose
        ${currentTier === undefined ? 'which ones stay usable' : html`<a href="/library/usable">which ones stay usable</a>`}.
      </p>`,
  })
}

interface CardOptions {
  isCurrent: boolean
  /** Administrators see the tier, which commands need. */
  isAdministrator: boolean
}

function planCard(plan: Plan, { isCurrent, isAdministrator }: CardOptions): Html {
  const { tier, tierDisplay, itemLimit, monthlyReadLimit, previewPages, uploadMb, storageMb } = plan
  const rows: readonly [string, string][] = [
    ['Books', formatCount(itemLimit)],
    ['Reads per month', monthlyReadLimit === null ? 'Unlimited' : formatCount(monthlyReadLimit)],
    [
      'Pro books',
      previewPages === null ? 'Whole book' : `First ${previewPages === 1 ? 'page' : `${previewPages} pages`}`,
    ],
    ['Maximum file size', `${formatCount(uploadMb)} MB`],
    ['Storage', storageMb === null ? 'Unlimited' : `${formatCount(storageMb)} MB`],
    ['Shelves', formatCount(plan.shelfLimit)],
    ['Active manuscripts', formatCount(plan.manuscriptSlots)],
    ['Publishing', plan.canPublish ? 'Yes' : 'No'],
  ]
  return html`<li class="${isCurrent ? 'plan own' : 'plan'}">
    <h2>${tierDisplay}${isCurrent ? html` <span class="tag">Your plan</span>` : ''}</h2>
    ${isAdministrator ? html`<p class="facts"><code>${tier}</code></p>` : ''} ${factsList(rows)}
  </li>`
}

function formatCount(number: number): string {
  return number.toLocaleString('en-GB')
}
