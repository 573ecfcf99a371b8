import { html } from 'hono/html'
import { field, hiddenField } from './components/fields.ts'
import type { Html } from './components/html.ts'
import { defaultMaxFormBytes, readFormAfterSignOut, type Form, type FormState } from './form.ts'
import { signInAgainPath, signInPath } from './next-url.ts'
import { redirect, respondPage } from './respond.ts'
import type { PageRoutes } from './routes.ts'
import type { SignedInVisit, Visit } from './visit.ts'

/** A form in which people write texts that must not be lost. */
interface TextForm {
  /** Maximum size of the form, bytes. */
  maxBytes: number
  /** Handles the form of a signed-in visitor. */
  answer(visit: SignedInVisit): Promise<Response>
  /** What has not happened if the session has ended, such as “The report has not been sent.” */
  notDone: string
  /** The label of its button. */
  button: string
  /** Renders the form with the submitted fields for a visitor who is signed out: without a CSRF token. */
  renderSignedOut(state: FormState, visit: Visit): Html
}

/**
 * Mounts a form with texts. If it arrives after the session has ended, it is shown again with them, so that the visitor
 * can sign in in another tab and send it from there.
 */
export function mountTextForm(routes: PageRoutes, path: string, textForm: TextForm): void {
  routes.publicPage('POST', path, async (visit) => {
    const { signedIn, ctx } = visit
    if (signedIn && ctx) return textForm.answer({ ...visit, signedIn, ctx })
    const form = await readFormAfterSignOut(visit, textForm.maxBytes)
    const { notDone, button } = textForm
    const page = visit.url.pathname
    return respondSignedOut(visit, { notDone, button, page, form: textForm.renderSignedOut({ form }, visit) })
  })
}

/** The labels of fields, by name. */
export type TypedFields = Readonly<Record<string, string>>

/** A form with a few short fields beside what the page knows. */
interface ShortForm {
  /** The fields that people type. A function if one path serves several forms. */
  typed: TypedFields | ((visit: Visit) => TypedFields)
  /** Handles the form of a signed-in visitor. */
  answer(visit: SignedInVisit): Promise<Response>
}

/**
 * Mounts a form with short fields. If it arrives after the session has ended, the fields that somebody has typed are shown again
 * like the text of a `TextForm`; without any, the browser is redirected to the sign-in page.
 */
export function mountShortForm(routes: PageRoutes, path: string, { typed, answer }: ShortForm): void {
  routes.publicPage('POST', path, async (visit) => {
    const { signedIn, ctx } = visit
    if (signedIn && ctx) return answer({ ...visit, signedIn, ctx })
    const form = await readFormAfterSignOut(visit, defaultMaxFormBytes)
    const fields = typeof typed === 'function' ? typed(visit) : typed
    if (!Object.keys(fields).some((name) => hasText(form, name))) return redirect(visit, signInAgainPath(visit))
    return respondSignedOut(visit, {
      notDone: 'Nothing was changed.',
      button: sendAgain,
      page: new URL(signInAgainPath(visit), visit.url).searchParams.get('next') ?? '/',
      form: shortForm(visit, fields, form),
    })
  })
}

function hasText(form: Form, name: string): boolean {
  return (form.get(name) ?? '').trim() !== ''
}

const sendAgain = 'Send again'
/** Fields that are not sent back to the browser: secrets, and the token of the session that has ended. */
const unshown = /^csrf$|password|^current$|^again$/i

/** The form again: its typed fields to see and correct, and the others as they were. */
function shortForm({ url }: Visit, typed: TypedFields, form: Form): Html {
  const shown = Object.entries(typed).filter(([name]) => hasText(form, name))
  const others = [...form].filter(([name]) => !shown.some(([other]) => other === name) && !unshown.test(name))
  return html`<form method="post" action="${url.pathname}" class="form">
    ${others.map(([name, value]) => hiddenField(name, value))}
    ${shown.map(([name, label]) => field({ form }, { name, label, autocomplete: 'off' }))}
    <button>${sendAgain}</button>
  </form>`
}

interface SignedOutForm extends Pick<TextForm, 'notDone' | 'button'> {
  form: Html
  /** The path of the page to see after signing in. */
  page: string
}

function respondSignedOut(visit: Visit, { notDone, button, form, page }: SignedOutForm): Promise<Response> {
  return respondPage(visit, {
    title: 'You are signed out',
    status: 401,
    content: html`<h1>You are signed out</h1>
      <p class="lead">${notDone} You find your text below.</p>
      <ol class="steps">
        <li><a href="${signInPath(page)}" target="_blank" rel="opener">Sign in in another tab</a>.</li>
        <li>Come back here and press “${button}”.</li>
      </ol>
      ${form}`,
  })
}
