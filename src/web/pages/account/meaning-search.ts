import { html } from 'hono/html'
import { changeMeaningSearch } from '../../../embeddings/change-switch.ts'
import { allowsEmbeddings } from '../../../embeddings/own-switch.ts'
import { hiddenField } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import { readSessionForm } from '../../form.ts'
import { redirect } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'

/** Mounts the switch for search by meaning, which is on the account page. */
export function mountMeaningSearch(routes: PageRoutes): void {
  routes.signedInPage('POST', '/account/meaning-search', async (visit) => {
    const enabled = (await readSessionForm(visit)).get('enabled') === 'on'
    await changeMeaningSearch(visit.ctx, { enabled })
    return redirect(visit, `/account?done=meaning-${enabled ? 'on' : 'off'}`)
  })
}

/** Says what is sent to which service, with a switch; empty on a server without an embedding service. */
export function meaningSearchSection(visit: SignedInVisit): Html | '' {
  const { ctx, signedIn } = visit
  if (ctx.embedder === null) return ''
  const isOn = allowsEmbeddings(signedIn.actor.account)
  return html`<h2 id="meaning-heading">Search by meaning</h2>
    <p>
      Search by meaning also finds pages that say the same thing in other words. For this, Lectern sends the text of
      your books and the words that you search for to a service that the administrator of this server has chosen.
    </p>
    <form method="post" action="/account/meaning-search" aria-labelledby="meaning-heading">
      ${hiddenField('csrf', sessionToken(visit))} ${hiddenField('enabled', isOn ? 'off' : 'on')}
      <p>
        ${
          isOn
            ? 'It is on for your books.'
            : 'It is off for your books: Lectern does not send their text, and search finds them only by their words.'
        }
      </p>
      <button class="quiet">${isOn ? 'Switch off' : 'Switch on'}</button>
    </form>`
}
