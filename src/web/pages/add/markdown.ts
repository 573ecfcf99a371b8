import { html } from 'hono/html'
import { CreatedItem, maxContentBytes } from '../../../books/schema.ts'
import { EnrichedItem } from '../../../books/enrich-schema.ts'
import { AppError } from '../../../core/errors.ts'
import { libraryRoom } from '../../../imports/library-room.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import { field, formProblem, hiddenField } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import { handleForm, idempotencyKeyOf, readSessionForm, type Form, type FormState } from '../../form.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { mountTextForm } from '../../text-form.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'

/**
 * Maximum size of the form in bytes: a text of 1,000,000 bytes takes up to three times as much, and the other fields
 * need room.
 */
const maxFormBytes = 3_100_000

/** Mounts /add/markdown: writes a Markdown book in the browser. */
export function mountAddMarkdown(routes: PageRoutes): void {
  routes.signedInPage('GET', '/add/markdown', (visit) => markdownPage(visit))
  mountTextForm(routes, '/add/markdown', {
    maxBytes: maxFormBytes,
    answer: answerForm,
    notDone: 'The book has not been created.',
    button: 'Create the book',
    renderSignedOut: (state) => markdownForm(state, ''),
  })
}

function answerForm(visit: SignedInVisit): Promise<Response> {
  return handleForm({
    read: () => readSessionForm(visit, maxFormBytes),
    submit: async (form) => redirect(visit, `/books/${await createBook(visit, form)}`),
    renderAgain: (state) => markdownPage(visit, state),
  })
}

async function createBook(visit: SignedInVisit, form: Form): Promise<string> {
  // Forms use CR LF as line ends (HTML Living Standard, section 4.10.22.7).
  const content = (form.get('content') ?? '').replaceAll('\r\n', '\n')
  if (Buffer.byteLength(content) > maxContentBytes) throw tooLong()
  const title = form.get('title') ?? ''
  const author = form.get('author')?.trim() ?? ''
  const call = { name: 'create_markdown_item', raw: { title, content }, idempotencyKey: idempotencyKeyOf(form) }
  const { id } = await callToolForVisit(visit, call, CreatedItem)
  if (author !== '') await callToolForVisit(visit, { name: 'enrich_item', raw: { itemId: id, author } }, EnrichedItem)
  return id
}

function tooLong(): AppError {
  const message = `The text is longer than ${maxContentBytes.toLocaleString('en-GB')} bytes. Create the book with its first part, then add the rest to it.`
  return new AppError('PAYLOAD_TOO_LARGE', message, { details: { field: 'content' } })
}

async function markdownPage(visit: SignedInVisit, state: FormState = {}): Promise<Response> {
  const { booksLeft } = await libraryRoom(visit.ctx)
  const { problem } = state
  return respondPage(visit, {
    title: 'Write a Markdown book',
    problem,
    content: html`<h1>Write a Markdown book</h1>
      ${
        booksLeft === 0
          ? html`<p class="lead">Your library is full. <a href="/plans">See the plans</a>, or delete books first.</p>`
          : html`<p class="lead">You can read it at once and change it at any time.</p>`
      }
      ${formProblem(state)} ${markdownForm(state, sessionToken(visit))}`,
  })
}

function markdownForm(state: FormState, csrfToken: string): Html {
  return html`<form method="post" action="/add/markdown" class="form wide">
    ${hiddenField('csrf', csrfToken)}
    ${field(state, { name: 'title', label: 'Title', autocomplete: 'on', maxlength: 200 })}
    ${field(state, { name: 'author', label: 'Author', autocomplete: 'on', maxlength: 200, required: false })}
    ${contentField(state)}
    <button>Create the book</button>
  </form>`
}

function contentField({ form, problem }: FormState): Html {
  const error = problem?.field === 'content' ? problem.message : null
  return html`<div class="field${error ? ' wrong' : ''}">
    <label for="text">Text</label>
    <p class="hint" id="text-hint">Markdown. Each line that begins with “# ” starts a page.</p>
    ${error ? html`<p class="wrong-text" id="text-problem">${error}</p>` : ''}
    <textarea
      id="text"
      name="content"
      rows="18"
      dir="auto"
      aria-describedby="text-hint${error ? ' text-problem' : ''}"
      ${error ? html`aria-invalid="true"` : ''}
    >
${form?.get('content') ?? ''}</textarea>
  </div>`
}
