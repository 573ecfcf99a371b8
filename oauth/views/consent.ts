import { html } from 'hono/html'
import { formProblem, hiddenField } from '../../src/web/components/fields.ts'
import type { FormState } from '../../src/web/form.ts'
import type { Html } from '../../src/web/components/html.ts'
import { scopeDescriptions } from '../../src/web/format/scope-descriptions.ts'
import type { RequestingClient, Authorization } from '../authorization.ts'
import { unusedConnectionDays } from '../unused-connection-days.ts'

interface ConsentRequest extends Pick<Authorization, 'client' | 'scopes'> {
  user: { name: string; email: string }
  /** The CSRF token of the form. */
  csrfToken: string
  path: string
}

/** The consent page: the client, its redirect destination and the requested scopes, each with a checkbox. */
export function consentView({ client, scopes, user, csrfToken, path }: ConsentRequest, state: FormState): Html {
  const scopeError = state.problem?.field === 'scopes' ? state.problem.message : null
  const selectedScopes = state.form ? state.form.getAll('scopes') : scopes
  return html`<h1>Connect ${client.name}?</h1>
    <p class="lead">It requests access to the library of <strong>${user.name}</strong> (${user.email}).</p>
    <p><a href="${path}?account=change">Use another account</a></p>
    <dl class="facts-list">
      <div>
        <dt>Redirects to</dt>
        <dd><code>${client.destination}</code></dd>
      </div>
      <div>
        <dt>Identity</dt>
        <dd>
          ${client.metadataHost ? html`Published by <code>${client.metadataHost}</code>` : 'Not verified: the program chose its own name'}
        </dd>
      </div>
    </dl>
    ${client.isLoopback ? loopbackWarning(client) : ''} ${formProblem(state)}
    <form method="post" action="${path}" class="form">
      ${hiddenField('csrf', csrfToken)}
      <fieldset class="field${scopeError ? ' wrong' : ''}" ${scopeError ? html`aria-describedby="scopes-problem"` : ''}>
        <legend>Permissions</legend>
        ${scopeError ? html`<p class="wrong-text" id="scopes-problem">${scopeError}</p>` : ''}
        ${scopes.map(
          (scope, index) =>
            html`<label class="tick"
              ><input
                type="checkbox"
                name="scopes"
                value="${scope}"
                ${selectedScopes.includes(scope) ? html`checked` : ''}
                ${scopeError && index === 0 ? html`autofocus` : ''}
              /><span>${scopeDescriptions[scope]} <code>${scope}</code></span></label
            >`,
        )}
      </fieldset>
      <div class="choices">
        <button name="answer" value="allow">Connect</button>
        <button name="answer" value="deny" class="quiet">Cancel</button>
      </div>
    </form>
    <p class="facts">
      The connection lasts until you disconnect the app under <a href="/connections">Connected apps</a>, or until the
      app has not used it for ${unusedConnectionDays} days.
    </p>`
}

function loopbackWarning({ name }: RequestingClient): Html {
  return html`<p class="caution">
    This program runs on your own computer, where any program can call itself ${name}. Continue only if you started this
    there yourself.
  </p>`
}

/** The page that redirects to the client after consent or denial. */
export function continueView(address: string, { allowed, name }: { allowed: boolean; name: string }): Html {
  return html`<h1>${allowed ? `${name} is connected` : `${name} was not connected`}</h1>
    <p class="lead">Returning you to ${name}.</p>
    <p><a href="${address}">Continue if nothing happens</a></p>`
}

/** The page after denial of an untrusted website: it does not redirect by itself. */
export function deniedView(
  address: string,
  { name, destination }: Pick<RequestingClient, 'name' | 'destination'>,
): Html {
  return html`<h1>${name} was not connected</h1>
    <p class="lead">You can close this page.</p>
    <p>
      <a href="${address}" rel="noreferrer">Return to ${name}</a>. The link leads to <code>${destination}</code>, which
      is not verified.
    </p>`
}
