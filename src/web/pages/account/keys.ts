import { html } from 'hono/html'
import { ApiKeyList, CreatedApiKey, RevokedApiKey } from '../../../accounts/api-key-schema.ts'
import { AppError } from '../../../core/errors.ts'
import { scopes, type Scope } from '../../../core/scopes.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import { handleConfirmedForm, recentPasswordField } from './confirm-password.ts'
import { copyField, field, formProblem, hiddenField } from '../../components/fields.ts'
import { handleForm, readSessionForm, type Form, type FormState } from '../../form.ts'
import type { Html } from '../../components/html.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { mountShortForm } from '../../text-form.ts'
import { scopeDescriptions } from '../../format/scope-descriptions.ts'
import { formatDay } from '../../format/format-time.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'

/** Mounts /keys: the API keys of the signed-in account. */
export function mountKeys(routes: PageRoutes): void {
  routes.signedInPage('GET', '/keys', (visit) => keysPage(visit))
  mountShortForm(routes, '/keys', {
    typed: { name: 'Name' },
    answer: (visit) =>
      handleConfirmedForm(visit, {
        parse: (form) => parseKeyForm(visit, form),
        async submit(confirmed, raw) {
          const created = await callToolForVisit(confirmed, { name: 'create_api_key', raw }, CreatedApiKey)
          return keysPage(confirmed, {}, created)
        },
        renderAgain: keysPage,
      }),
  })
  routes.signedInPage('POST', '/keys/revoke', (visit) =>
    handleForm({
      read: () => readSessionForm(visit),
      async submit(form) {
        await callToolForVisit(visit, { name: 'revoke_api_key', raw: { keyId: form.get('id') ?? '' } }, RevokedApiKey)
        return redirect(visit, '/keys?done=revoked')
      },
      renderAgain: ({ problem }) => keysPage(visit, problem ? { problem } : {}),
    }),
  )
}

const dayMs = 24 * 60 * 60 * 1000

const expiryOptions = [
  ['', 'Never'],
  ['7', 'In 7 days'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
] as const

function parseKeyForm({ ctx }: SignedInVisit, form: Form): { name: string; scopes: Scope[]; expiresAt: string | null } {
  const days = expiryOptions.find(([value]) => value === (form.get('expires') ?? ''))?.[0]
  if (days === undefined) throw invalidField('expires', 'Choose one of the expiry times.')
  const name = form.get('name')?.trim() ?? ''
  if (name === '') throw invalidField('name', 'Enter a name that says what the key is for.')
  const selectedScopes = scopes.filter((scope) => form.getAll('scopes').includes(scope))
  if (selectedScopes.length === 0) throw invalidField('scopes', 'Select at least one permission.')
  const expiresAt = days === '' ? null : new Date(ctx.now().getTime() + Number(days) * dayMs).toISOString()
  return { name, scopes: selectedScopes, expiresAt }
}

function invalidField(name: string, message: string): AppError {
  return new AppError('INVALID_INPUT', message, { details: { field: name } })
}

async function keysPage(
  visit: SignedInVisit,
  state: FormState = {},
  created: CreatedApiKey | null = null,
): Promise<Response> {
  const { keys } = await callToolForVisit(visit, { name: 'list_api_keys' }, ApiKeyList)
  const token = sessionToken(visit)
  const revoked = visit.url.searchParams.get('done') === 'revoked'
  return respondPage(visit, {
    title: 'API keys',
    currentPath: '/keys',
    scripts: ['copy-buttons'],
    exposeCsrfToken: true,
    problem: state.problem,
    content: html`<h1>API keys</h1>
      <p class="lead">
        Programs and agents use an API key to act for you. Create a key for each, so that you can revoke it separately.
      </p>
      ${revoked && !state.problem ? html`<p class="notice" role="status">API key revoked.</p>` : ''}
      ${created ? createdKeyNotice(created) : ''} ${formProblem(state)}
      ${
        keys.length === 0
          ? html`<p>You have no API keys yet.</p>`
          : html`<ul class="rows">
              ${keys.map((key) => keyRow(key, { token, now: visit.ctx.now() }))}
            </ul>`
      }
      <h2 id="new-heading">Create a key</h2>
      ${newKeyForm(visit, state)}`,
  })
}

function createdKeyNotice({ key, name }: CreatedApiKey): Html {
  return html`<section class="made" role="status">
    <h2>New API key “${name}”</h2>
    <p>Copy it now; it will not be shown again. If you lose it, revoke it and create another.</p>
    ${copyField('API key', key)}
    <p><a href="/connect">Connect an assistant</a></p>
  </section>`
}

type Key = ApiKeyList['keys'][number]

function keyRow(
  { id, name, scopes: grantedScopes, createdAt, lastUsedAt, expiresAt }: Key,
  { token, now }: { token: string; now: Date },
): Html {
  const expired = expiresAt !== null && new Date(expiresAt) <= now
  const permissions =
    grantedScopes.length === scopes.length
      ? 'All permissions'
      : grantedScopes.map((scope) => scopeDescriptions[scope]).join('; ')
  const expiryText =
    expiresAt === null ? 'never expires' : html`${expired ? 'expired' : 'expires'} ${formatDay(expiresAt)}`
  return html`<li>
    <div>
      <strong>${name}</strong>${expired ? html` <span class="tag">Expired</span>` : ''}
      <p class="may">${permissions}</p>
      <p class="facts">
        Created ${formatDay(createdAt)}, ${lastUsedAt ? html`last used ${formatDay(lastUsedAt)}` : 'not used yet'},
        ${expiryText}
      </p>
    </div>
    <details class="confirm">
      <summary aria-label="Revoke ${name}…">Revoke…</summary>
      <form method="post" action="/keys/revoke">
        ${hiddenField('csrf', token)} ${hiddenField('id', id)}
        <p>Programs that use this key lose access at once.</p>
        <button class="grave" aria-label="Revoke ${name}">Revoke</button>
      </form>
    </details>
  </li>`
}

function newKeyForm(visit: SignedInVisit, state: FormState): Html {
  const { form, problem } = state
  const scopeError = problem?.field === 'scopes' ? problem.message : null
  const selectedScopes = form ? form.getAll('scopes') : scopes
  const expires = form?.get('expires') ?? ''
  return html`<form method="post" action="/keys" class="form" aria-labelledby="new-heading">
    ${hiddenField('csrf', sessionToken(visit))}
    ${field(state, { name: 'name', label: 'Name', autocomplete: 'off', hint: 'What the key is for, such as “Claude Code on my laptop”.', maxlength: 100 })}
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
    <div class="field">
      <label for="expires">Expires</label>
      ${problem?.field === 'expires' ? html`<p class="wrong-text" id="expires-problem">${problem.message}</p>` : ''}
      <select id="expires" name="expires">
        ${expiryOptions.map(
          ([value, label]) =>
            html`<option value="${value}" ${value === expires ? html`selected` : ''}>${label}</option>`,
        )}
      </select>
    </div>
    ${recentPasswordField(visit, state)}
    <button>Create key</button>
  </form>`
}
