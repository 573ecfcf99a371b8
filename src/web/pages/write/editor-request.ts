import { AppError } from '../../../core/errors.ts'
import { randomBytes } from 'node:crypto'
import { hiddenField } from '../../components/fields.ts'
import { readFormAfterSignOut, toFormProblem, type Form } from '../../form.ts'
import { signInPath } from '../../next-url.ts'
import { pageHeaders, respondPage } from '../../respond.ts'
import { readJsonObject } from '../../../transport/read-body.ts'
import { sessionBinding, type SignedInVisit, type Visit } from '../../visit.ts'
import { html } from 'hono/html'
import { maxEditorFormBytes } from './editor-form.ts'
import { signedOutEditor } from './kept-text.ts'

/** True for a request of the editor's script, which sends and receives JSON. */
export function isFromScript({ request }: Visit): boolean {
  return request.headers.get('content-type')?.startsWith('application/json') === true
}

/** Reads the fields that the script sends as a form; refuses the CSRF token of another session with FORBIDDEN. */
export async function readScriptFields(visit: SignedInVisit): Promise<Form> {
  const token = visit.request.headers.get('x-csrf-token')
  if (!visit.site.formTokens.verify(sessionBinding(visit.signedIn), token)) {
    throw new AppError('FORBIDDEN', 'You have signed in again since this page was opened.', {
      details: { staleToken: true },
    })
  }
  const fields = await readJsonObject(visit.request, maxEditorFormBytes)
  return new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)] as [string, string]))
}

/** Answers the script; a refusal becomes `{ error, … }` with its status. */
export async function respondToScript(visit: Visit, answer: () => Promise<Response>): Promise<Response> {
  try {
    return await answer()
  } catch (error) {
    const problem = toFormProblem(error)
    if (!problem) throw error
    const details = error instanceof AppError ? error.details : {}
    return respondJson({ error: problem.message, ...details }, problem.status)
  } finally {
    visit.requestState.operationName = `${visit.requestState.operationName} by script`
  }
}

export function respondJson(body: object, status = 200): Response {
  return Response.json(body, { status, headers: { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' } })
}

/** Responds with an HTML fragment, with the headers of pages. */
export function respondFragment(fragment: string): Response {
  return new Response(fragment, { headers: pageHeaders() })
}

/** Answers a form that arrived after the session had ended, showing its text. */
export async function respondSignedOut(visit: Visit): Promise<Response> {
  if (isFromScript(visit)) return respondJson({ error: 'You are signed out.', signedOut: true }, 401)
  const form = await readFormAfterSignOut(visit, maxEditorFormBytes)
  const { pathname } = visit.url
  // Without its last segment, this is the URL of the editor, which saves.
  const action = pathname.replace(/\/(?:draft|preview|discard)$/, '')
  const kept = ['version', 'draft', 'key', 'kept', 'lineEnds'].map((name) => hiddenField(name, form.get(name) ?? ''))
  return respondPage(visit, {
    title: 'You are signed out',
    status: 401,
    content: signedOutEditor({
      action,
      signIn: signInPath(action),
      text: form.get('text') ?? '',
      hidden: html`${hiddenField('csrf', '')} ${kept}`,
    }),
  })
}

/** Creates an id for one attempt to add a page. */
export function newFormKey(): string {
  return randomBytes(16).toString('base64url')
}
