import { html } from 'hono/html'
import type { Html } from './components/html.ts'
import { readFormAfterSignOut, type FormState } from './form.ts'
import { signInPath } from './next-url.ts'
import { respondPage } from './respond.ts'
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
  routes.publicPage('POST', path, (visit) => {
    const { signedIn, ctx } = visit
    return signedIn && ctx ? textForm.answer({ ...visit, signedIn, ctx }) : respondSignedOut(visit, textForm)
  })
}

async function respondSignedOut(visit: Visit, textForm: TextForm): Promise<Response> {
  const form = await readFormAfterSignOut(visit, textForm.maxBytes)
  return respondPage(visit, {
    title: 'You are signed out',
    status: 401,
    content: html`<h1>You are signed out</h1>
      <p class="lead">${textForm.notDone} You find your text below.</p>
      <ol class="steps">
        <li><a href="${signInPath(visit.url.pathname)}" target="_blank" rel="opener">Sign in in another tab</a>.</li>
        <li>Come back here and press “${textForm.button}”.</li>
      </ol>
      ${textForm.renderSignedOut({ form }, visit)}`,
  })
}
