import { html } from 'hono/html'
import { formProblem, hiddenField } from '../../src/web/fields.ts'
import type { FormState } from '../../src/web/form.ts'
import type { Html } from '../../src/web/layout.ts'
import { scopeDescriptions } from '../../src/web/scope-descriptions.ts'
import type { RequestingClient, Authorization } from '../authorization.ts'

interface ConsentRequest extends Pick<Authorization, 'client' | 'scopes'> {
  user: { name: string; email: string }
  /** The token of the form. */
  csrfToken: string
  path: string
}

/** Who asks, where the answer goes and what is asked for, each with a box to untick. */
export function consentView({ client, scopes, user, csrfToken, path }: ConsentRequest, state: FormState): Html {
  const scopeError = state.problem?.field === 'scopes' ? state.problem.message : null
  const selectedScopes = state.form ? state.form.getAll('scopes') : scopes
  return html`<h1>Connect ${client.name}?</h1>
    <p class="lead">It asks to use the library of <strong>${user.name}</strong> (${user.email}).</p>
    <p><a href="${path}?account=change">Use another account</a></p>
    <dl class="facts-list">
      <div>
        <dt>Answer goes to</dt>
        <dd><code>${client.destination}</code></dd>
      </div>
      <div>
        <dt>Described by</dt>
        <dd>
          ${client.metadataHost ? html`<code>${client.metadataHost}</code>` : 'itself: nobody has checked its name'}
        </dd>
      </div>
    </dl>
    ${client.isLoopback ? loopbackWarning(client) : ''} ${formProblem(state)}
    <form method="post" action="${path}" class="form">
      ${hiddenField('csrf', csrfToken)}
      <fieldset class="field${scopeError ? ' wrong' : ''}" ${scopeError ? html`aria-describedby="scopes-problem"` : ''}>
        <legend>What it may do</legend>
        ${scopeError ? html`<p class="wrong-text" id="scopes-problem">${scopeError}</p>` : ''}
        ${scopes.map(
          (scope) =>
            html`<label class="tick"
              ><input
                type="checkbox"
                name="scopes"
                value="${scope}"
                ${selectedScopes.includes(scope) ? html`checked` : ''}
              /><span>${scopeDescriptions[scope]} <code>${scope}</code></span></label
            >`,
        )}
      </fieldset>
      <div class="choices">
        <button name="answer" value="allow">Connect</button>
        <button name="answer" value="deny" class="quiet">Do not connect</button>
      </div>
    </form>
    <p class="facts">You can disconnect it at any time under <a href="/connections">Connected apps</a>.</p>`
}

function loopbackWarning({ name }: RequestingClient): Html {
  return html`<p class="caution">
    This program runs on your own computer, where any program can call itself ${name}. Go on only if you have just
    started this there.
  </p>`
}

/** The page between an answer and the program that waits for it. */
export function continueView(address: string, { allowed, name }: { allowed: boolean; name: string }): Html {
  return html`<h1>${allowed ? `${name} is connected` : 'Nothing was connected'}</h1>
    <p class="lead">You are being sent back to ${name}.</p>
    <p><a href="${address}">Go on if nothing happens</a></p>`
}

/** The page after a refusal of a website that nobody here has ever let in. */
export function deniedView(
  address: string,
  { name, destination }: Pick<RequestingClient, 'name' | 'destination'>,
): Html {
  return html`<h1>Nothing was connected</h1>
    <p class="lead">You can close this page.</p>
    <p>
      <a href="${address}" rel="noreferrer">Tell ${name} that you refused</a>: this leads to
      <code>${destination}</code>, which nobody has checked.
    </p>`
}
