import { readFileSync } from 'node:fs'
import type { Hono } from 'hono'
import type { Env } from '../../transport/request-state.ts'
import { mountAccount } from './account/account.ts'
import { apiReference } from './help/api-reference.ts'
import { mountAuditLog } from './admin/audit-log.ts'
import { mountCliAuth } from './sign-in/cli-auth.ts'
import { mountConfirmPassword } from './account/confirm-password.ts'
import { mountCloseAccount } from './account/close-account.ts'
import { connectPage } from './help/connect.ts'
import { homePage } from './help/home.ts'
import { mountEditBook } from './write/edit-book.ts'
import { mountEditPage } from './write/edit-page.ts'
import { mountInvitedSignUp } from './sign-in/invited-sign-up.ts'
import { mountInvites } from './teams/invites.ts'
import { mountKeys } from './account/keys.ts'
import { mountPlans } from './account/plans.ts'
import { mountReader } from './book/reader.ts'
import { mountReset } from './sign-in/reset.ts'
import type { Html } from '../components/layout.ts'
import { respondPage } from '../respond.ts'
import type { PageRoutes } from '../routes.ts'
import { mountSetup } from './sign-in/setup.ts'
import { mountSignIn } from './sign-in/sign-in.ts'
import { mountSignUp } from './sign-in/sign-up.ts'
import type { Site } from '../site.ts'
import { mountSupportReport } from './admin/support-report.ts'
import { mountCompareVersions } from './versions/compare.ts'
import { mountVersions } from './versions/versions.ts'
import { mountUsableBooks } from './library/usable-books.ts'

/** Mounts all HTML pages. They use no JavaScript. */
export function mountPages(app: Hono<Env>, site: Site, routes: PageRoutes): void {
  mountAsset(app, 'style.css', 'text/css; charset=utf-8')
  mountAsset(app, 'icon.svg', 'image/svg+xml')
  const { tools, baseUrl } = site
  const connect = connectPage(site)
  let reference: Html | undefined
  routes.publicPage('GET', '/', (visit) =>
    respondPage(visit, { title: 'Lectern', content: homePage(baseUrl, { signedIn: visit.signedIn !== null }) }),
  )
  routes.publicPage('GET', '/docs', (visit) => {
    reference ??= apiReference(tools, baseUrl)
    return respondPage(visit, { title: 'API reference', content: reference, wide: true })
  })
  routes.publicPage('GET', '/connect', (visit) =>
    respondPage(visit, { title: 'Connect an assistant', content: connect }),
  )
  mountSetup(routes)
  mountSignIn(routes)
  mountSignUp(routes)
  mountReset(routes)
  mountPlans(routes)
  mountAccount(routes)
  mountConfirmPassword(routes)
  mountCloseAccount(routes)
  mountKeys(routes)
  mountCliAuth(routes)
  mountUsableBooks(routes)
  mountReader(routes)
  mountEditBook(routes)
  mountEditPage(routes)
  mountVersions(routes)
  mountCompareVersions(routes)
  mountSupportReport(routes)
  mountAuditLog(routes)
  mountInvites(routes)
  mountInvitedSignUp(routes)
}

function mountAsset(app: Hono<Env>, name: string, contentType: string): void {
  const text = readFileSync(new URL(`../design/${name}`, import.meta.url), 'utf8')
  const headers = {
    'Content-Type': contentType,
    'Cache-Control': 'public, max-age=300',
    'X-Content-Type-Options': 'nosniff',
  }
  app.get(`/assets/${name}`, (c) => {
    c.get('requestState').operationName = 'asset'
    return new Response(text, { headers })
  })
}
