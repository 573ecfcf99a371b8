import { html } from 'hono/html'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Html } from '../src/web/components/html.ts'
import { layout } from '../src/web/components/layout.ts'
import { pageHeaders } from '../src/web/respond.ts'
import { AuthorizationLimitReached } from './oauth-errors.ts'
import type { WithheldRedirect } from './trusted-redirect.ts'

/** Shows why an authorization was refused, with a link instead of a redirect to an untrusted website. */
export async function renderWithheldRedirect(
  ctx: KoaContextWithOIDC,
  withheld: WithheldRedirect,
  message: string,
): Promise<void> {
  ctx.status = 400
  ctx.remove('Location')
  const { address, name, destination } = withheld
  await sendPage(
    ctx,
    html`<h1>${name} cannot be connected</h1>
      <p class="lead">Its authorization request was refused: ${message}.</p>
      <p>
        <a href="${address}" rel="noreferrer">Return to ${name}</a>. The link leads to <code>${destination}</code>,
        which is not verified. If you did not come from there, close this page.
      </p>`,
  )
}

/** Shows why an authorization cannot continue; never redirects. */
export async function renderError(ctx: KoaContextWithOIDC, message: string, error: Error): Promise<void> {
  if (ctx.status === 503) return renderUnavailable(ctx)
  if (error instanceof AuthorizationLimitReached) {
    const { status, headers, body } = await limitPage(error)
    ctx.status = status
    ctx.set(headers)
    ctx.body = body
    return
  }
  await sendPage(
    ctx,
    html`<h1>This app cannot be connected</h1>
      <p class="lead">Its authorization request was refused: ${message}.</p>
      <p>Start again in the app. If this happens again, send the message above to its developer.</p>`,
  )
}

/** The page that refuses an authorization because of a limit, with `Retry-After`. */
export async function limitPage({
  status,
  retryAfterSeconds,
  error_description: reason = '',
}: AuthorizationLimitReached) {
  const content = html`<h1>Too many connections</h1>
    <p class="lead">${reason}</p>
    <p><a href="/sign-in">Sign in</a></p>`
  const page = await layout({ title: 'Error: Connect an app', content })
  return { status, headers: { ...pageHeaders(), 'Retry-After': String(retryAfterSeconds) }, body: String(page) }
}

async function renderUnavailable(ctx: KoaContextWithOIDC): Promise<void> {
  await sendPage(
    ctx,
    html`<h1>Temporarily unavailable</h1>
      <p class="lead">Lectern cannot reach its database at the moment. Your request is fine.</p>
      <p><a href="${ctx.originalUrl}">Try again</a></p>`,
  )
}

async function sendPage(ctx: KoaContextWithOIDC, content: Html): Promise<void> {
  const page = await layout({ title: 'Error: Connect an app', content })
  for (const [name, value] of Object.entries(pageHeaders())) ctx.set(name, value)
  ctx.body = String(page)
}
