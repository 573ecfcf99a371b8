import { html } from 'hono/html'
import { changePassword } from '../accounts/change-password.ts'
import { ChangePassword } from '../accounts/credentials-schema.ts'
import { Whoami } from '../accounts/schema.ts'
import type { WebSession } from '../accounts/web-session-store.ts'
import { AppError } from '../core/errors.ts'
import { browserName } from './browser-name.ts'
import { call } from './call-tool-for-visit.ts'
import { field, formProblem, hidden, newPasswordFields, usernameField } from './fields.ts'
import { answerForm, parseForm, readOwnForm, type FormState } from './form.ts'
import type { Html } from './layout.ts'
import { redirect, respond } from './respond.ts'
import type { PageRoutes } from './routes.ts'
import { momentOf } from './format-time.ts'
import { sessionToken, type SignedVisit } from './visit.ts'

/** Mounts /account: who one is, the password, and where one is signed in. */
export function mountAccount(routes: PageRoutes): void {
  routes.signedIn('GET', '/account', (visit) => accountPage(visit))
  routes.signedIn('POST', '/account/password', (visit) =>
    answerForm({
      read: () => readOwnForm(visit),
      async act(form) {
        await changePassword(visit.ctx, parseForm(ChangePassword, form))
        return redirect(visit, '/account?done=password')
      },
      again: (state) => accountPage(visit, state),
    }),
  )
  routes.signedIn('POST', '/account/sessions/end', async (visit) => {
    const id = (await readOwnForm(visit)).get('id') ?? ''
    const { session, actor } = visit.signedIn
    if (!(await visit.ctx.webSessions.end(actor.id, id))) {
      throw new AppError('NOT_FOUND', 'This session has ended already.')
    }
    if (id !== session.id) return redirect(visit, '/account?done=session')
    visit.setCookies.push(visit.cookies.dropSession())
    return redirect(visit, '/sign-in?done=signed-out')
  })
  routes.signedIn('POST', '/account/sessions/end-all', async (visit) => {
    await readOwnForm(visit)
    await visit.ctx.webSessions.endAll(visit.signedIn.actor.id)
    visit.setCookies.push(visit.cookies.dropSession())
    return redirect(visit, '/sign-in?done=signed-out')
  })
}

const notices: Record<string, string> = {
  password: 'Your password is changed. Other browsers are signed out.',
  session: 'That browser is signed out.',
}

async function accountPage(visit: SignedVisit, state: FormState = {}): Promise<Response> {
  const { ctx, url, signedIn } = visit
  const me = await call(visit, { name: 'whoami' }, Whoami)
  const sessions = await ctx.webSessions.list(me.id, ctx.now())
  const notice = notices[url.searchParams.get('done') ?? '']
  const token = sessionToken(visit)
  return respond(visit, {
    title: state.problem ? 'Error: Your account' : 'Your account',
    path: '/account',
    status: state.problem?.status ?? 200,
    retryAfterSeconds: state.problem?.retryAfterSeconds,
    content: html`<h1>Your account</h1>
      ${notice && !state.problem ? html`<p class="notice" role="status">${notice}</p>` : ''}
      ${facts(me, signedIn.actor.account.admin)}
      <h2 id="password-heading">Password</h2>
      ${formProblem(state)}
      <form method="post" action="/account/password" class="form" aria-labelledby="password-heading">
        ${hidden('csrf', token)} ${usernameField(me.email)}
        ${field(state, {
          name: 'current',
          label: 'Present password',
          type: 'password',
          autocomplete: 'current-password',
        })}
        ${newPasswordFields(state)}
        <button>Change the password</button>
      </form>
      <h2>Where you are signed in</h2>
      <ul class="rows">
        ${sessions.map((session) => sessionRow(session, signedIn.session.id, token))}
      </ul>
      <form method="post" action="/account/sessions/end-all">
        ${hidden('csrf', token)}<button class="quiet">Sign out everywhere</button>
      </form>
      <h2>Close the account</h2>
      <p><a href="/account/delete">Delete your account…</a></p>`,
  })
}

function facts(me: Whoami, admin: boolean): Html {
  const reads =
    me.monthlyReadLimit === null
      ? `${count(me.monthlyReadsUsed)} this month, without a limit`
      : `${count(me.monthlyReadsUsed)} of ${count(me.monthlyReadLimit)} this month`
  return html`${me.readLimitMessage ? html`<p class="problem">${me.readLimitMessage}</p>` : ''}
    <dl class="facts-list">
      <div>
        <dt>Name</dt>
        <dd>${me.name}${admin ? html` <span class="tag">Administrator</span>` : ''}</dd>
      </div>
      <div>
        <dt>E-mail</dt>
        <dd>${me.email}</dd>
      </div>
      <div>
        <dt>Plan</dt>
        <dd><a href="/plans">${me.tierDisplay}</a></dd>
      </div>
      <div>
        <dt>Books</dt>
        <dd>${count(me.ownedCount)} of ${count(me.itemLimit)}</dd>
      </div>
      <div>
        <dt>Reads</dt>
        <dd>${reads}</dd>
      </div>
    </dl>
    ${
      me.ownedCount > me.itemLimit
        ? html`<p>The plan keeps ${count(me.itemLimit)} books usable. <a href="/library/usable">Pick which</a>.</p>`
        : ''
    }`
}

function count(number: number): string {
  return number.toLocaleString('en-GB')
}

function sessionRow(session: WebSession, presentId: string, token: string): Html {
  const name = browserName(session.userAgent)
  const present = session.id === presentId
  return html`<li>
    <div>
      <strong>${name}</strong>${present ? html` <span class="tag">This one</span>` : ''}
      <p class="facts">Last used ${momentOf(session.lastSeenAt)}. Signed in ${momentOf(session.createdAt)}.</p>
    </div>
    <form method="post" action="/account/sessions/end">
      ${hidden('csrf', token)} ${hidden('id', session.id)}
      <button class="quiet" aria-label="Sign out this one: ${name}">Sign out this one</button>
    </form>
  </li>`
}
