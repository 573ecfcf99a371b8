import { html } from 'hono/html'
import type { Html } from '../../components/html.ts'
import type { Visit } from '../../visit.ts'

/** Says where the setup link is as long as the server has no account; empty afterwards. */
export async function setupNotice({ site }: Visit): Promise<Html | ''> {
  if (await site.services.accounts.hasAny()) return ''
  return html`<p class="notice">
    This server has no account yet. To create the first one, open the setup link that the server printed when it
    started. <code>${site.services.command} setup-link</code>, run on the machine of the server, prints a new one.
  </p>`
}
