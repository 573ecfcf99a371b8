import type { Hono } from 'hono'
import type { Env } from '../../transport/request-state.ts'
import { mountAssets } from '../design/assets.ts'
import { mountActivity } from './activity/activity.ts'
import { mountAccount } from './account/account.ts'
import { mountDocs } from './docs/docs.ts'
import { mountAuditLog } from './admin/audit-log.ts'
import { mountBook } from './book/book.ts'
import { mountDownloads } from './book/download.ts'
import { mountDetails } from './book/details.ts'
import { mountCliAuth } from './sign-in/cli-auth.ts'
import { libraryPage, mountLibrary } from './library/library.ts'
import { mountShelves } from './shelves/shelves.ts'
import { mountDeletedBooks } from './library/deleted-books.ts'
import { mountManuscripts } from './library/manuscripts.ts'
import { mountConfirmPassword } from './account/confirm-password.ts'
import { mountCloseAccount } from './account/close-account.ts'
import { connectPage } from './help/connect.ts'
import { homePage } from './help/home.ts'
import { mountAdd } from './add/add.ts'
import { mountAddMarkdown } from './add/markdown.ts'
import { mountImports } from './imports/imports.ts'
import { mountEditBook } from './write/edit-book.ts'
import { mountEditPage } from './write/edit-page.ts'
import { mountInvitedSignUp } from './sign-in/invited-sign-up.ts'
import { mountDiscover } from './discover/discover.ts'
import { mountTeams } from './teams/teams.ts'
import { mountInvites } from './teams/invites.ts'
import { mountKeys } from './account/keys.ts'
import { mountPictures } from './book/picture.ts'
import { mountNotifications } from './notifications/notifications.ts'
import { mountPlans } from './account/plans.ts'
import { mountReader } from './book/reader.ts'
import { mountReport } from './account/report.ts'
import { mountReset } from './sign-in/reset.ts'
import { respondPage } from '../respond.ts'
import type { PageRoutes } from '../routes.ts'
import { mountSearch } from './search/search.ts'
import { mountSetup } from './sign-in/setup.ts'
import { setupNotice } from './sign-in/setup-notice.ts'
import { mountSignIn } from './sign-in/sign-in.ts'
import { mountSignUp } from './sign-in/sign-up.ts'
import type { Site } from '../site.ts'
import { mountServerHealth } from './admin/server-health.ts'
import { mountSupportReports } from './admin/support-report.ts'
import { mountCompareVersions } from './versions/compare.ts'
import { mountVersions } from './versions/versions.ts'
import { mountUsableBooks } from './library/usable-books.ts'

/** Mounts all HTML pages. They work without JavaScript. */
export function mountPages(app: Hono<Env>, site: Site, routes: PageRoutes): void {
  mountAssets(app)
  const { baseUrl } = site
  const connect = connectPage(site)
  routes.publicPage('GET', '/', async (visit) => {
    const { signedIn, ctx } = visit
    if (signedIn && ctx) return libraryPage({ ...visit, signedIn, ctx })
    const home = { baseUrl, signUp: site.signUp === 'open', notice: await setupNotice(visit) }
    return respondPage(visit, { title: 'Lectern', content: homePage(home) })
  })
  routes.publicPage('GET', '/connect', (visit) =>
    respondPage(visit, { title: 'Connect an assistant', scripts: ['copy-buttons'], content: connect }),
  )
  mountDocs(routes, site)
  mountSetup(routes)
  mountSignIn(routes)
  mountSignUp(routes)
  mountReset(routes)
  mountPlans(routes)
  mountAccount(routes)
  mountActivity(routes)
  mountConfirmPassword(routes)
  mountCloseAccount(routes)
  mountKeys(routes)
  mountCliAuth(routes)
  mountUsableBooks(routes)
  mountBook(routes)
  mountDeletedBooks(routes)
  mountManuscripts(routes)
  mountLibrary(routes)
  mountShelves(routes)
  mountAdd(routes)
  mountAddMarkdown(routes)
  mountImports(routes)
  mountNotifications(routes)
  mountDownloads(routes)
  mountDetails(routes)
  mountReader(routes)
  mountReport(routes)
  mountPictures(routes)
  mountSearch(routes)
  mountEditBook(routes)
  mountEditPage(routes)
  mountVersions(routes)
  mountCompareVersions(routes)
  mountSupportReports(routes)
  mountAuditLog(routes)
  mountServerHealth(routes)
  mountDiscover(routes)
  mountTeams(routes)
  mountInvites(routes)
  mountInvitedSignUp(routes)
}
