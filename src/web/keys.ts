import { html } from 'hono/html'
import { KeyList, MadeKey, RevokedKey } from '../accounts/api-key-schema.ts'
import { AppError } from '../core/errors.ts'
import { scopes } from '../core/scopes.ts'
import { call } from './call-tool-for-visit.ts'
import { copyField, field, formProblem, hidden } from './fields.ts'
import { answerForm, readOwnForm, type Form, type FormState } from './form.ts'
import type { Html } from './layout.ts'
import { redirect, respond } from './respond.ts'
import type { PageRoutes } from './routes.ts'
import { scopeWords } from './scope-descriptions.ts'
import { dayOf } from './format-time.ts'
import { sessionToken, type SignedVisit } from './visit.ts'

/** Mounts /keys: the API keys of the one who is signed in. */
export function mountKeys(routes: PageRoutes): void {
  routes.signedIn('GET', '/keys', (visit) => keysPage(visit))
  routes.signedIn('POST', '/keys', (visit) =>
    answerForm({
      read: () => readOwnForm(visit),
      act: (form) => makeKey(visit, form),
      again: (state) => keysPage(visit, state),
    }),
  )
  routes.signedIn('POST', '/keys/revoke', (visit) =>
    answerForm({
      read: () => readOwnForm(visit),
      async act(form) {
        await call(visit, { name: 'revoke_api_key', raw: { keyId: form.get('id') ?? '' } }, RevokedKey)
        return redirect(visit, '/keys?done=revoked')
      },
      again: ({ problem }) => keysPage(visit, problem ? { problem } : {}),
    }),
  )
}

const dayMs = 24 * 60 * 60 * 1000

const expiries = [
  ['', 'Never'],
  ['7', 'In 7 days'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
] as const

async function makeKey(visit: SignedVisit, form: Form): Promise<Response> {
  const days = expiries.find(([value]) => value === (form.get('expires') ?? ''))?.[0]
  if (days === undefined) throw refused('expires', 'Choose one of the times.')
  const name = form.get('name')?.trim() ?? ''
  if (name === '') throw refused('name', 'Give the key a name, so that you will know what it is for.')
  const ticked = scopes.filter((scope) => form.getAll('scopes').includes(scope))
  if (ticked.length === 0) throw refused('scopes', 'Tick at least one thing that the key may do.')
  const expiresAt = days === '' ? null : new Date(visit.ctx.now().getTime() + Number(days) * dayMs).toISOString()
  const made = await call(visit, { name: 'create_api_key', raw: { name, scopes: ticked, expiresAt } }, MadeKey)
  return keysPage(visit, {}, made)
}

function refused(name: string, message: string): AppError {
  return new AppError('INVALID_INPUT', message, { details: { field: name } })
}

async function keysPage(visit: SignedVisit, state: FormState = {}, made: MadeKey | null = null): Promise<Response> {
  const { keys } = await call(visit, { name: 'list_api_keys' }, KeyList)
  const token = sessionToken(visit)
  const revoked = visit.url.searchParams.get('done') === 'revoked'
  return respond(visit, {
    title: state.problem ? 'Error: API keys' : 'API keys',
    path: '/keys',
    tellToken: true,
    status: state.problem?.status ?? 200,
    retryAfterSeconds: state.problem?.retryAfterSeconds,
    content: html`<h1>API keys</h1>
      <p class="lead">
        Programs and agents act for you with a key. Give each its own, so that you can take it back alone.
      </p>
      ${revoked && !state.problem ? html`<p class="notice" role="status">The key is revoked.</p>` : ''}
      ${made ? madeKey(made) : ''} ${formProblem(state)}
      ${
        keys.length === 0
          ? html`<p>There is no key yet.</p>`
          : html`<ul class="rows">
              ${keys.map((key) => keyRow(key, { token, now: visit.ctx.now() }))}
            </ul>`
      }
      <h2 id="new-heading">Make a key</h2>
      ${newKeyForm(state, token)}`,
  })
}

function madeKey({ key, name }: MadeKey): Html {
  return html`<section class="made" role="status">
    <h2>The key “${name}”</h2>
    <p>Copy it now: it is not shown again.</p>
    ${copyField('API key', key)}
    <p><a href="/connect">Connect an assistant with it</a></p>
  </section>`
}

type Key = KeyList['keys'][number]

function keyRow(
  { id, name, scopes: given, createdAt, lastUsedAt, expiresAt }: Key,
  { token, now }: { token: string; now: Date },
): Html {
  const expired = expiresAt !== null && new Date(expiresAt) <= now
  const may = given.length === scopes.length ? 'Everything' : given.map((scope) => scopeWords[scope]).join('; ')
  const end = expiresAt === null ? 'never expires' : html`${expired ? 'expired' : 'expires'} ${dayOf(expiresAt)}`
  return html`<li>
    <div>
      <strong>${name}</strong>${expired ? html` <span class="tag">Expired</span>` : ''}
      <p class="may">${may}</p>
      <p class="facts">
        Made ${dayOf(createdAt)}, ${lastUsedAt ? html`last used ${dayOf(lastUsedAt)}` : 'not used yet'}, ${end}
      </p>
    </div>
    <details class="confirm">
      <summary aria-label="Revoke ${name}…">Revoke…</summary>
      <form method="post" action="/keys/revoke">
        ${hidden('csrf', token)} ${hidden('id', id)}
        <p>What uses it is refused from now on.</p>
        <button class="grave" aria-label="Revoke ${name} for good">Revoke for good</button>
      </form>
    </details>
  </li>`
}

function newKeyForm(state: FormState, token: string): Html {
  const { form, problem } = state
  const wrong = problem?.field === 'scopes' ? problem.message : null
  const ticked = form ? form.getAll('scopes') : scopes
  const expires = form?.get('expires') ?? ''
  return html`<form method="post" action="/keys" class="form" aria-labelledby="new-heading">
    ${hidden('csrf', token)}
    ${field(state, { name: 'name', label: 'Name', autocomplete: 'off', hint: 'What it is for, such as “Claude Code on my laptop”.', maxlength: 100 })}
    <fieldset class="field${wrong ? ' wrong' : ''}" ${wrong ? html`aria-describedby="scopes-problem"` : ''}>
      <legend>What it may do</legend>
      ${wrong ? html`<p class="wrong-text" id="scopes-problem">${wrong}</p>` : ''}
      ${scopes.map(
        (scope, index) =>
          html`<label class="tick"
            ><input
              type="checkbox"
              name="scopes"
              value="${scope}"
              ${ticked.includes(scope) ? html`checked` : ''}
              ${wrong && index === 0 ? html`autofocus` : ''}
            /><span>${scopeWords[scope]} <code>${scope}</code></span></label
          >`,
      )}
    </fieldset>
    <div class="field">
      <label for="expires">Expires</label>
      ${problem?.field === 'expires' ? html`<p class="wrong-text" id="expires-problem">${problem.message}</p>` : ''}
      <select id="expires" name="expires">
        ${expiries.map(
          ([value, label]) =>
            html`<option value="${value}" ${value === expires ? html`selected` : ''}>${label}</option>`,
        )}
      </select>
    </div>
    <button>Make the key</button>
  </form>`
}
