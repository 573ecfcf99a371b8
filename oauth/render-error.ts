import { html } from 'hono/html'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { layout, type Html } from '../src/web/layout.ts'
import { pageHeaders } from '../src/web/respond.ts'
import type { WithheldRedirect } from './trusted-redirect.ts'

/** Tells a person why an authorization was refused, and leaves it to them to go back to a website that is not trusted. */
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
      <p class="lead">The request that brought you here was refused: ${message}.</p>
      <p>
        <a href="${address}" rel="noreferrer">Tell ${name}</a>: this leads to <code>${destination}</code>, which nobody
        has checked. If you did not come from there, close this page.
      </p>`,
  )
}

/** Tells a person, by a page, why an authorization cannot go on; the browser is sent to no address that is not known. */
export async function renderError(ctx: KoaContextWithOIDC, message: string): Promise<void> {
  if (ctx.status === 503) return renderUnavailable(ctx)
  await sendPage(
    ctx,
    html`<h1>This program cannot be connected</h1>
      <p class="lead">The request that brought you here was refused: ${message}.</p>
      <p>Begin again in the program. If it happens again, tell its maker what stands above.</p>`,
  )
}

async function renderUnavailable(ctx: KoaContextWithOIDC): Promise<void> {
  await sendPage(
    ctx,
    html`<h1>Not right now</h1>
      <p class="lead">Lectern cannot reach its data at the moment. Nothing is wrong with what you are doing.</p>
      <p><a href="${ctx.originalUrl}">Try again</a></p>`,
  )
}

async function sendPage(ctx: KoaContextWithOIDC, content: Html): Promise<void> {
  const page = await layout({ title: 'Error: Connect a program', content })
  for (const [name, value] of Object.entries(pageHeaders())) ctx.set(name, value)
  ctx.body = String(page)
}
