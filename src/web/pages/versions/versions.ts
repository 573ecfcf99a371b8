import { html } from 'hono/html'
import { readHistory, type BookHistory, type HistoryEntry } from '../../../writing/read-history.ts'
import { PurgedVersion, RestoredVersion } from '../../../writing/schema.ts'
import { AppError } from '../../../core/errors.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import { formProblem, hiddenField } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import { writerAfterReason } from '../../components/writer-name.ts'
import { handleForm, readSessionForm, type Form, type FormState } from '../../form.ts'
import { formatDateTime } from '../../format/format-time.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'
import { respondReaderRefusal } from '../book/respond-reader-refusal.ts'
import { versionWords } from '../../components/version-words.ts'

/** Mounts /books/{id}/versions: who changed what and when, restoring a version, and permanently removing one. */
export function mountVersions(routes: PageRoutes): void {
  routes.signedInPage('GET', '/books/:id/versions', (visit) =>
    versionsPage(visit).catch((error: unknown) => respondReaderRefusal(visit, error)),
  )
  const mount = (path: string, submit: (visit: SignedInVisit, form: Form) => Promise<Response>) =>
    routes.signedInPage('POST', path, (visit) =>
      handleForm({
        read: () => readSessionForm(visit),
        submit: (form) => submit(visit, form),
        renderAgain: ({ problem }) => versionsPage(visit, problem ? { problem } : {}),
      }),
    )
  mount('/books/:id/versions/restore', restore)
  mount('/books/:id/versions/purge', purge)
}

async function restore(visit: SignedInVisit, form: Form): Promise<Response> {
  const { id = '' } = visit.params
  const raw = { id, version: versionField(form, 'version'), expectedVersion: versionField(form, 'current') }
  const { version } = await callToolForVisit(visit, { name: 'restore_item_version', raw }, RestoredVersion).catch(
    (error: unknown) => {
      if (!(error instanceof AppError && error.code === 'VERSION_CONFLICT')) throw error
      const message = 'The book was changed since you opened this page. Look at the latest version, then restore again.'
      throw new AppError('VERSION_CONFLICT', message)
    },
  )
  return redirect(visit, `/books/${id}/versions?done=restored&version=${version}&from=${raw.version}`)
}

async function purge(visit: SignedInVisit, form: Form): Promise<Response> {
  const { id = '' } = visit.params
  const raw = { itemId: id, version: versionField(form, 'version'), confirm: true }
  await callToolForVisit(visit, { name: 'purge_item_version', raw }, PurgedVersion)
  return redirect(visit, `/books/${id}/versions?done=removed&version=${raw.version}`)
}

function versionField(form: Form, name: string): number {
  return Number(/^\d{1,9}$/.exec(form.get(name) ?? '')?.[0] ?? 0)
}

async function versionsPage(visit: SignedInVisit, state: FormState = {}): Promise<Response> {
  const { id = '' } = visit.params
  const before = /^[1-9]\d{0,8}$/.exec(visit.url.searchParams.get('before') ?? '')?.[0]
  const history = await readHistory(visit.ctx, { id, before: before === undefined ? null : Number(before) })
  const title = `Versions of ${history.book.title}`
  return respondPage(visit, {
    title,
    problem: state.problem,
    content: versionsView(visit, history, state),
  })
}

function versionsView(visit: SignedInVisit, history: BookHistory, state: FormState): Html {
  const { book, entries, nextBefore } = history
  const isFirstPart = !visit.url.searchParams.has('before')
  return html`<p class="kind">
      <a href="/books/${book.id}"><bdi>${book.title}</bdi></a>
    </p>
    <h1 class="under-kind">Versions</h1>
    ${state.problem ? formProblem(state) : doneNotice(visit)} ${entries.length > 1 ? compareForm(history) : ''}
    ${
      entries.length === 0
        ? html`<p>
            This book has no ${isFirstPart ? '' : 'earlier '}versions. <a href="/books/${book.id}">Back to the book</a>
          </p>`
        : html`<ol class="rows version-list" reversed start="${entries[0]?.version ?? 1}">
            ${entries.map((entry) => versionRow(visit, history, entry))}
          </ol>`
    }
    ${
      nextBefore === null && isFirstPart
        ? ''
        : html`<nav class="turning" aria-label="More versions">
            ${isFirstPart ? html`<span></span>` : html`<a rel="prev" href="/books/${book.id}/versions">← Latest versions</a>`}
            ${nextBefore === null ? '' : html`<a rel="next" href="/books/${book.id}/versions?before=${nextBefore}">Earlier versions →</a>`}
          </nav>`
    }`
}

/** A form to compare any two versions, initially the last two. */
function compareForm({ book, entries }: BookHistory): Html {
  const field = (name: string, label: string, value: number) =>
    html`<label
      >${label} <input type="number" name="${name}" value="${value}" min="1" max="${book.version}" required
    /></label>`
  return html`<form class="compare-form" method="get" action="/books/${book.id}/versions/compare">
    ${field('from', 'Compare version', entries[1]?.version ?? 1)} ${field('to', 'with', entries[0]?.version ?? 2)}
    <button class="quiet">Compare</button>
  </form>`
}

function versionRow(visit: SignedInVisit, history: BookHistory, entry: HistoryEntry): Html {
  const { book } = history
  const { version, at, reason, changes, purgedAt } = entry
  const isCurrent = version === book.version
  return html`<li value="${version}">
    <div>
      <p>
        <strong>Version ${version}</strong>${isCurrent ? html` <span class="tag">Current</span>` : ''}
        ${purgedAt === null ? '' : html` <span class="tag">Text removed</span>`}
      </p>
      <p>${versionWords(reason, changes)}</p>
      <p class="quiet-text">${writerAfterReason(entry)}, ${formatDateTime(at)}</p>
      ${purgedAt === null ? '' : html`<p class="quiet-text">Removed for good ${formatDateTime(purgedAt)}.</p>`}
    </div>
    <div class="version-actions">
      ${purgedAt === null ? versionLinks(history, entry) : ''}
      ${!isCurrent && purgedAt === null ? versionForms(visit, history, entry) : ''}
    </div>
  </li>`
}

function versionLinks({ book }: BookHistory, { version, changes }: HistoryEntry): Html {
  return html`<a href="/books/${book.id}?v=${version}">Read<span class="hidden-text"> version ${version}</span></a> ${
      changes
        ? html`<a href="/books/${book.id}/versions/compare?from=${version - 1}&amp;to=${version}"
            >What changed<span class="hidden-text"> in version ${version}</span></a
          >`
        : ''
    }`
}

function versionForms(
  visit: SignedInVisit,
  { book, canRestore, canPurge }: BookHistory,
  { version }: HistoryEntry,
): Html {
  const hidden = html`${hiddenField('csrf', sessionToken(visit))} ${hiddenField('version', String(version))}`
  return html`${
    canRestore
      ? html`<details class="confirm">
          <summary>Restore…<span class="hidden-text"> version ${version}</span></summary>
          <form method="post" action="/books/${book.id}/versions/restore">
            ${hidden} ${hiddenField('current', String(book.version))}
            <p>
              The text of version ${version} becomes version ${book.version + 1}. The current text stays in this list.
            </p>
            <button>Restore version ${version}</button>
          </form>
        </details>`
      : ''
  }
  ${
    canPurge
      ? html`<details class="confirm">
          <summary>Remove…<span class="hidden-text"> the text of version ${version}</span></summary>
          <form method="post" action="/books/${book.id}/versions/purge">
            ${hidden}
            <p>
              Nobody can read or restore the text of version ${version} afterwards. Citations of it say that it was
              removed.
            </p>
            <button class="grave">Remove version ${version} for good</button>
          </form>
        </details>`
      : ''
  }`
}

function doneNotice({ url }: SignedInVisit): Html | '' {
  const number = (name: string) => /^\d{1,9}$/.exec(url.searchParams.get(name) ?? '')?.[0] ?? ''
  const messages = new Map([
    ['restored', `The text of version ${number('from')} is back, as version ${number('version')}.`],
    ['same', 'Choose two different versions to compare.'],
    ['removed', `The text of version ${number('version')} is removed for good.`],
  ])
  const message = messages.get(url.searchParams.get('done') ?? '')
  return message === undefined ? '' : html`<p class="notice" role="status">${message}</p>`
}
