import { html } from 'hono/html'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { layout } from '../src/web/layout.ts'
import { pageHeaders } from '../src/web/respond.ts'

/** Tells a person, by a page, why an authorization cannot go on; the browser is sent to no address that is not known. */
export async function renderError(ctx: KoaContextWithOIDC, message: string): Promise<void> {
  const page = await layout({
    title: 'Error: Connect a program',
    content: html`<h1>This program cannot be connected</h1>
      <p class="lead">The request that brought you here was refused: ${message}.</p>
      <p>Begin again in the program. If it happens again, tell its maker what stands above.</p>`,
  })
  for (const [name, value] of Object.entries(pageHeaders())) ctx.set(name, value)
  ctx.body = String(page)
}
