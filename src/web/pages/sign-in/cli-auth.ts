import { html } from 'hono/html'
import { CreatedApiKey } from '../../../accounts/api-key-schema.ts'
import { dayInWords } from '../../../core/day-in-words.ts'
import { AppError } from '../../../core/errors.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import { handleConfirmedForm, recentPasswordField } from '../account/confirm-password.ts'
import { formProblem, hiddenField } from '../../components/fields.ts'
import type { FormState } from '../../form.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'

/** Mounts /cli-auth: creates an API key for a program on the same computer after the user approves it. */
export function mountCliAuth(routes: PageRoutes): void {
  routes.signedInPage('GET', '/cli-auth', (visit) => cliAuthPage(visit, visit.url.searchParams))
  routes.signedInPage('POST', '/cli-auth', (visit) =>
    handleConfirmedForm(visit, {
      parse: parseCliClient,
      submit: issueKey,
      renderAgain: (confirmed, state) => cliAuthPage(confirmed, state.form ?? visit.url.searchParams, state),
    }),
  )
}

function cliAuthPage(visit: SignedInVisit, params: URLSearchParams, state: FormState = {}): Promise<Response> {
  const cliClient = parseCliClient(params)
  const { port, state: clientState } = cliClient
  const { name, email } = visit.signedIn.actor.account
  return respondPage(visit, {
    title: 'Authorize a program',
    problem: state.problem,
    formActionOrigin: callbackOrigin(cliClient),
    content: html`<h1>Authorize a program</h1>
      <p class="lead">A program on this computer requests an API key. It listens on <code>127.0.0.1:${port}</code>.</p>
      <p>
        It will read and change the library as <strong>${name}</strong> (${email}), until you
        <a href="/keys">revoke the key</a>.
      </p>
      <p>Continue only if you started this yourself, for example with a command in a terminal.</p>
      ${formProblem(state)}
      <form method="post" action="/cli-auth" class="form">
        ${hiddenField('csrf', sessionToken(visit))} ${hiddenField('port', String(port))}
        ${clientState === null ? '' : hiddenField('state', clientState)} ${recentPasswordField(visit, state)}
        <button>Create key</button>
      </form>
      <p><a href="/account">Cancel</a></p>`,
  })
}

async function issueKey(visit: SignedInVisit, cliClient: CliClient): Promise<Response> {
  const name = `Program on this computer, ${dayInWords(visit.ctx.now())}`
  const { key } = await callToolForVisit(visit, { name: 'create_api_key', raw: { name } }, CreatedApiKey)
  const query = new URLSearchParams({ key, ...(cliClient.state === null ? {} : { state: cliClient.state }) })
  return redirect(visit, `${callbackOrigin(cliClient)}/callback?${query}`)
}

interface CliClient {
  port: number
  state: string | null
}

/** Reads the port and state of the requesting program; refuses with INVALID_INPUT. */
function parseCliClient(params: URLSearchParams): CliClient {
  const [port, state] = [params.get('port') ?? '', params.get('state')]
  if (!/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65_535) {
    throw new AppError('INVALID_INPUT', 'Add a port from 1 to 65535 to the URL of this page, such as ?port=8123.')
  }
  if (state !== null && state.length > 1024) {
    throw new AppError('INVALID_INPUT', 'The state in the URL of this page must be at most 1024 characters long.')
  }
  return { port: Number(port), state }
}

function callbackOrigin({ port }: CliClient): string {
  return `http://127.0.0.1:${port}`
}
