import { html } from 'hono/html'
import { changePassword } from '../../../accounts/change-password.ts'
import { ChangePassword } from '../../../accounts/credentials-schema.ts'
import { RenameAccount, renameAccount } from '../../../accounts/rename-account.ts'
import { Whoami } from '../../../accounts/schema.ts'
import type { WebSession } from '../../../accounts/web-session-store.ts'
import { AppError } from '../../../core/errors.ts'
import { mountChangeEmail } from './change-email.ts'
import { mountConfirmEmail, unprovenNotice } from './confirm-email.ts'
import { meaningSearchSection, mountMeaningSearch } from './meaning-search.ts'
import { browserName } from '../../format/browser-name.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import { factsList } from '../../components/facts-list.ts'
import {
  field,
  formProblem,
  hiddenField,
  newPasswordFields,
  revokeAccessField,
  usernameField,
} from '../../components/fields.ts'
import { handleForm, parseForm, readSessionForm, type FormState } from '../../form.ts'
import type { Html } from '../../components/html.ts'
import { browserOf, keepSession } from '../../keep-session.ts'
import { redirect, respondPage } from '../../respond.ts'
import { respondDownload } from '../../respond-download.ts'
import type { PageRoutes } from '../../routes.ts'
import { mountShortForm } from '../../text-form.ts'
import { formatDateTime } from '../../format/format-time.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'

/** Mounts /account: the account's details, its password and its sessions. */
export function mountAccount(routes: PageRoutes): void {
  routes.signedInPage('GET', '/account', (visit) => accountPage(visit))
  routes.signedInPage('POST', '/account/password', (visit) =>
    handleForm({
      read: () => readSessionForm(visit),
      async submit(form) {
        const change = parseForm(ChangePassword, form)
        await keepSession(visit, await changePassword(visit.ctx, change, browserOf(visit)))
        return redirect(visit, `/account?done=${change.revokeAccess ? 'password-and-access' : 'password'}`)
      },
      renderAgain: (state) => accountPage(visit, { password: state }),
    }),
  )
  mountShortForm(routes, '/account/name', {
    typed: { name: 'Your name' },
    answer: (visit) =>
      handleForm({
        read: () => readSessionForm(visit),
        async submit(form) {
          await renameAccount(visit.ctx, parseForm(RenameAccount, form))
          return redirect(visit, '/account?done=name')
        },
        renderAgain: (state) => accountPage(visit, { name: state }),
      }),
  })
  mountConfirmEmail(routes)
  mountChangeEmail(routes)
  routes.signedInPage('GET', '/account/export', (visit) => respondDownload(visit, { name: 'export_account' }))
  mountMeaningSearch(routes)
  routes.signedInPage('POST', '/account/sessions/end', async (visit) => {
    const id = (await readSessionForm(visit)).get('id') ?? ''
    const { session, actor } = visit.signedIn
    if (!(await visit.ctx.webSessions.end(actor.id, id))) {
      throw new AppError('NOT_FOUND', 'This session has already ended.')
    }
    await visit.ctx.audit.record({ type: 'session_ended', by: visit.ctx, detail: { session: id } })
    if (id !== session.id) return redirect(visit, '/account?done=session')
    visit.setCookies.push(visit.cookies.clearSession())
    return redirect(visit, '/sign-in?done=signed-out')
  })
  routes.signedInPage('POST', '/account/sessions/end-all', async (visit) => {
    await readSessionForm(visit)
    const ended = await visit.ctx.webSessions.endAll(visit.signedIn.actor.id)
    await visit.ctx.audit.record({ type: 'session_ended', by: visit.ctx, detail: { sessions: ended } })
    visit.setCookies.push(visit.cookies.clearSession())
    return redirect(visit, '/sign-in?done=signed-out')
  })
}

const notices = new Map([
  ['name', 'Name changed.'],
  ['password', 'Password changed. Your other browsers are signed out.'],
  [
    'password-and-access',
    'Password changed. Your other browsers are signed out, API keys are revoked and apps are disconnected.',
  ],
  ['session', 'Browser signed out.'],
  ['meaning-on', 'Search by meaning is on. Your books are being prepared for it in the background.'],
  ['meaning-off', 'Search by meaning is off. The data that was computed from your books for it is deleted.'],
  ['confirmed', 'Your address is confirmed.'],
  ['email-link-sent', 'We have sent an email to the new address. Follow the link in it while you are signed in.'],
  ['email-changed', 'Your email address is changed. From now on, sign in with the new one.'],
  ['confirmation-sent', 'We have sent you an email. Follow the link in it while you are signed in.'],
])

/** The states of the forms of the page. */
interface AccountForms {
  name?: FormState
  password?: FormState
}

async function accountPage(visit: SignedInVisit, forms: AccountForms = {}): Promise<Response> {
  const { name: nameState = {}, password: passwordState = {} } = forms
  const problem = nameState.problem ?? passwordState.problem
  const { ctx, url, signedIn } = visit
  const account = await callToolForVisit(visit, { name: 'whoami' }, Whoami)
  const sessions = await ctx.webSessions.list(account.id, ctx.now())
  const notice = notices.get(url.searchParams.get('done') ?? '')
  const token = sessionToken(visit)
  return respondPage(visit, {
    title: 'Settings',
    currentPath: '/account',
    problem,
    content: html`<h1>Settings</h1>
      ${notice && !problem ? html`<p class="notice" role="status">${notice}</p>` : ''}
      ${accountFacts(account, signedIn.actor.account.admin)} ${unprovenNotice(visit)}
      <h2 id="name-heading">Name</h2>
      <p>The members of your teams and the readers of the books that you publish see it.</p>
      ${formProblem(nameState)}
      <form method="post" action="/account/name" class="form" aria-labelledby="name-heading">
        ${hiddenField('csrf', token)}
        ${field(nameState, { name: 'name', label: 'Your name', autocomplete: 'name', maxlength: 200, value: account.name })}
        <button>Change name</button>
      </form>
      <h2 id="password-heading">Password</h2>
      ${formProblem(passwordState)}
      <form method="post" action="/account/password" class="form" aria-labelledby="password-heading">
        ${hiddenField('csrf', token)} ${usernameField(account.email)}
        ${field(passwordState, {
          name: 'current',
          label: 'Current password',
          type: 'password',
          autocomplete: 'current-password',
        })}
        ${newPasswordFields(passwordState)} ${revokeAccessField(passwordState, { ticked: false })}
        <button>Change password</button>
      </form>
      ${meaningSearchSection(visit)}
      <h2>Where you are signed in</h2>
      <ul class="rows">
        ${sessions.map((session) => sessionRow(session, signedIn.session.id, token))}
      </ul>
      <form method="post" action="/account/sessions/end-all">
        ${hiddenField('csrf', token)}<button class="quiet">Sign out everywhere</button>
      </form>
      <h2>Your data</h2>
      <p>
        Download all data of this account as one ZIP file: your books with their original files, text and details, your
        shelves, your research and your settings. The file does not contain passwords, keys or anything that belongs to
        other people.
      </p>
      <p><a class="button quiet" href="/account/export" download>Download your data</a></p>
      <h2>Delete account</h2>
      <p><a href="/account/delete">Delete your account…</a></p>`,
  })
}

function accountFacts(me: Whoami, admin: boolean): Html {
  const reads =
    me.monthlyReadLimit === null
      ? `${formatCount(me.monthlyReadsUsed)} this month, unlimited`
      : `${formatCount(me.monthlyReadsUsed)} of ${formatCount(me.monthlyReadLimit)} this month`
  return html`${me.readLimitMessage ? html`<p class="problem">${me.readLimitMessage}</p>` : ''}
  ${factsList([
    [
      'Name',
      html`${me.name}${admin ? html` <span class="tag">Administrator</span> <a href="/admin/audit">Audit log</a>` : ''}`,
    ],
    ['Email', html`${me.email} <a href="/account/email" aria-label="Change email address">Change</a>`],
    ['Plan', html`<a href="/plans">${me.tierDisplay}</a>`],
    ['Books', `${formatCount(me.ownedCount)} of ${formatCount(me.itemLimit)}`],
    ['Reads', reads],
  ])}
  ${
    me.ownedCount > me.itemLimit
      ? html`<p>
          With your plan, ${formatCount(me.itemLimit)} of your books are usable.
          <a href="/library/usable">Choose which ones</a>.
        </p>`
      : ''
  }`
}

function formatCount(number: number): string {
  return number.toLocaleString('en-GB')
}

function sessionRow(session: WebSession, currentId: string, token: string): Html {
  const name = browserName(session.userAgent)
  const isCurrent = session.id === currentId
  return html`<li>
    <div>
      <strong>${name}</strong>${isCurrent ? html` <span class="tag">This browser</span>` : ''}
      <p class="facts">
        Last used ${formatDateTime(session.lastSeenAt)}. Signed in ${formatDateTime(session.createdAt)}.
      </p>
    </div>
    <form method="post" action="/account/sessions/end">
      ${hiddenField('csrf', token)} ${hiddenField('id', session.id)}
      <button class="quiet" aria-label="Sign out ${name}">Sign out</button>
    </form>
  </li>`
}
