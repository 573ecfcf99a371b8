import { html } from 'hono/html'
import { changeMeaningSearch } from '../../../embeddings/change-switch.ts'
import { allowsEmbeddings } from '../../../embeddings/own-switch.ts'
import { hiddenField } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import { readSessionForm } from '../../form.ts'
import { redirect } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'

/** Mounts the switch of the search by meaning, which the page of the account shows. */
export function mountMeaningSearch(routes: PageRoutes): void {
  routes.signedInPage('POST', '/account/meaning-search', async (visit) => {
    const enabled = (await readSessionForm(visit)).get('enabled') === 'on'
    await changeMeaningSearch(visit.ctx, { enabled })
    return redirect(visit, `/account?done=meaning-${enabled ? 'on' : 'off'}`)
  })
}

/** Says what is sent where, and lets it be switched off or on; nothing on a server that sends nothing. */
export function meaningSearchSection(visit: SignedInVisit): Html | '' {
  const { ctx, signedIn } = visit
  if (ctx.embedder === null) return ''
  const isOn = allowsEmbeddings(signedIn.actor.account)
  return html`<h2 id="meaning-heading">Search by meaning</h2>
    <p>
      Search finds pages that say the same in other words. For this the text of your books is sent to the service that
      the administrator of this server has chosen, and so are the words that you search for.
    </p>
    <form method="post" action="/account/meaning-search" aria-labelledby="meaning-heading">
      ${hiddenField('csrf', sessionToken(visit))} ${hiddenField('enabled', isOn ? 'off' : 'on')}
      <p>
        ${
          isOn
            ? 'It is on for your books.'
            : 'It is off for your books: none of their text is sent, and they are found by words.'
        }
      </p>
      <button class="quiet">${isOn ? 'Switch it off' : 'Switch it on'}</button>
    </form>`
}
