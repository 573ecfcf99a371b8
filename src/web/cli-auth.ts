import { html } from 'hono/html'
import { MadeKey } from '../accounts/api-key-schema.ts'
import { AppError } from '../core/errors.ts'
import { call } from './call-tool-for-visit.ts'
import { hidden } from './fields.ts'
import { readOwnForm } from './form.ts'
import { redirect, respond } from './respond.ts'
import type { PageRoutes } from './routes.ts'
import { sessionToken, type SignedVisit } from './visit.ts'

/** Mounts /cli-auth: hands a new key to a program on the same computer, after one click. */
export function mountCliAuth(routes: PageRoutes): void {
  routes.signedIn('GET', '/cli-auth', (visit) => {
    const program = programOf(visit.url.searchParams)
    const { port, state } = program
    const { name, email } = visit.signedIn.actor.account
    return respond(visit, {
      title: 'Sign in a program',
      formTarget: originOf(program),
      content: html`<h1>Sign in a program</h1>
        <p class="lead">
          A program on this computer asks for an API key. It listens on <code>127.0.0.1:${port}</code>.
        </p>
        <p>
          It will read and change the library as <strong>${name}</strong> (${email}), until you
          <a href="/keys">revoke the key</a>.
        </p>
        <p>Go on only if you have just started this yourself, for example with a command in a terminal.</p>
        <form method="post" action="/cli-auth" class="form">
          ${hidden('csrf', sessionToken(visit))} ${hidden('port', String(port))}
          ${state === null ? '' : hidden('state', state)}
          <button>Give it a key</button>
        </form>
        <p><a href="/account">Cancel</a></p>`,
    })
  })
  routes.signedIn('POST', '/cli-auth', giveKey)
}

async function giveKey(visit: SignedVisit): Promise<Response> {
  const program = programOf(await readOwnForm(visit))
  const name = `Program on this computer, ${visit.ctx.now().toISOString().slice(0, 10)}`
  const { key } = await call(visit, { name: 'create_api_key', raw: { name } }, MadeKey)
  const query = new URLSearchParams({ key, ...(program.state === null ? {} : { state: program.state }) })
  return redirect(visit, `${originOf(program)}/callback?${query}`)
}

interface Program {
  port: number
  state: string | null
}

/** Which program asks: only ever one on this computer, on one port. */
function programOf(given: URLSearchParams): Program {
  const [port, state] = [given.get('port') ?? '', given.get('state')]
  if (!/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65_535) {
    throw new AppError(
      'INVALID_INPUT',
      'The address of this page must name a port from 1 to 65535, such as ?port=8123.',
    )
  }
  if (state !== null && state.length > 1024) {
    throw new AppError('INVALID_INPUT', 'The state in the address of this page is longer than 1024 characters.')
  }
  return { port: Number(port), state }
}

function originOf({ port }: Program): string {
  return `http://127.0.0.1:${port}`
}
