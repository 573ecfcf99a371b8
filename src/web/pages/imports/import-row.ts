import { html } from 'hono/html'
import { isActive, type ImportOfBook } from '../../../imports/list-imports.ts'
import { hiddenField } from '../../components/fields.ts'
import { adviceOn, confirmationAdvice, recognitionWords } from '../../components/import-advice.ts'
import { importStatus } from '../../components/import-status.ts'
import type { Html } from '../../components/html.ts'
import { formatDateTime } from '../../format/format-time.ts'

/** An import in the list: the book, its progress or outcome, and the actions. */
export function importRow(one: ImportOfBook, token: string): Html {
  const { itemId, book, updatedAt } = one
  const title = book?.title ?? 'A deleted book'
  return html`<li class="import">
    <div>
      <strong dir="auto" ${book?.language ? html`lang="${book.language}"` : ''}
        >${canBeOpened(one) ? html`<a href="/books/${itemId}">${title}</a>` : title}</strong
      >
      ${importStatus(one, { title })} ${remark(one)}
      ${isActive(one) ? '' : html`<p class="facts">${endedWord(one)} ${formatDateTime(updatedAt)}</p>`}
    </div>
    ${actions(one, { title, token })}
  </li>`
}

/** True if the book is readable, completely or in part. */
function canBeOpened({ status, pages }: ImportOfBook): boolean {
  return status === 'SUCCEEDED' || (status === 'RUNNING' && pages !== null)
}

/** A remark about an import that has ended or is stuck. */
function remark(one: ImportOfBook): Html | '' {
  const { status, errorCode, book, itemId } = one
  if (isActive(one) && book?.health === 'stuck')
    return html`<p class="import-advice">
      ${book.healthReason} If it does not go on, tell the administrator of this server, or cancel it and try again.
    </p>`
  if (status === 'FAILED' || status === 'CANCELLED') {
    const { next, link } = adviceOn(errorCode)
    const keepsPages = book?.status === 'READY' ? ' The book is unchanged.' : ''
    return html`<p class="import-advice">
      ${next}${keepsPages} ${link ? html`<a href="${link[0]}">${link[1]}</a>` : ''}
    </p>`
  }
  if (status !== 'SUCCEEDED' || !book?.healthReason) return ''
  if (book.health === 'needs_confirmation') {
    return html`<p class="import-advice">
      ${confirmationAdvice(book)}
      <a href="/books/${itemId}/details">Check the details</a>
    </p>`
  }
  return html`<p class="import-advice">${recognitionWords(book) ?? book.healthReason}</p>`
}

function endedWord({ status }: ImportOfBook): string {
  return status === 'SUCCEEDED' ? 'Imported' : status === 'FAILED' ? 'Failed' : 'Cancelled'
}

interface RowOptions {
  title: string
  token: string
}

function actions(one: ImportOfBook, { title, token }: RowOptions): Html {
  const { id, itemId, status, errorCode, book } = one
  const form = (action: string, field: Html, button: Html) =>
    html`<form method="post" action="/imports/${action}">${hiddenField('csrf', token)} ${field} ${button}</form>`
  if (isActive(one)) {
    const button = html`<button class="quiet small" id="cancel-${id}" aria-label="Cancel the import of ${title}">
      Cancel
    </button>`
    return html`<div class="actions">${form('cancel', hiddenField('job', id), button)}</div>`
  }
  if (status === 'SUCCEEDED') return html``
  const { canRetry, asksPassword } = adviceOn(errorCode)
  const item = hiddenField('item', itemId)
  const password = asksPassword
    ? html`<p class="password-field">
        <label for="password-${itemId}">Password of the file</label>
        <input
          id="password-${itemId}"
          name="password"
          type="password"
          autocomplete="off"
          maxlength="500"
          required
          aria-invalid="false"
        />
      </p>`
    : ''
  const retry = html`<button class="small" id="retry-${itemId}" aria-label="Try again to import ${title}">
    Try again
  </button>`
  const remove = html`<button class="quiet small" id="delete-${itemId}" aria-label="Delete ${title}">Delete</button>`
  return html`<div class="actions">
    ${canRetry ? form('retry', html`${item} ${password}`, retry) : ''}
    ${book?.status === 'READY' ? '' : form('delete', item, remove)}
  </div>`
}
