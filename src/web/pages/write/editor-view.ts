import { html } from 'hono/html'
import { formProblem, hiddenField } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import type { FormProblem } from '../../form.ts'
import { formatDateTime } from '../../format/format-time.ts'
import type { Draft } from '../../../writing/draft-store.ts'
import type { PageChange } from '../../../writing/page-changes.ts'
import { writerName } from '../../components/writer-name.ts'
import { placeName, type EditorFields, type Place } from './editor-form.ts'

/** The content of an editor. */
export interface EditorView {
  book: { id: string; title: string; language: string | null }
  place: Place
  /** The current version of the book, and its number of pages. */
  version: number
  pageCount: number
  csrfToken: string
  fields: EditorFields
  /** True if the text is stored in the book or in a draft. */
  isKept: boolean
  /** Why the text was not saved. */
  problem?: FormProblem | undefined
  notice?: Html | undefined
  /** A draft that can be restored, while the editor has the text of the book. */
  offered?: Draft | null | undefined
  /** The rendered text, if a preview was requested. */
  preview?: Html | undefined
  changes: readonly PageChange[]
}

/** The editor of a page, with its preview beside it. */
export function editorView(view: EditorView): Html {
  const { book, place, problem, notice, changes } = view
  return html`<p class="kind">
      <a href="/books/${book.id}/edit"><bdi>${book.title}</bdi></a>
    </p>
    <h1 class="under-kind">${editorTitle(place)}</h1>
    ${notice ?? ''} ${problem ? formProblem({ problem: { ...problem, field: null } }) : ''} ${draftOffer(view)}
    <div class="writing">
      ${editorForm(view)}
      <section class="preview" aria-labelledby="preview-title">
        <h2 id="preview-title">Preview</h2>
        <article class="page-text" id="preview" lang="${book.language ?? ''}" dir="auto">
          ${view.preview ?? html`<p class="quiet-text" lang="en" dir="ltr">Press “Preview” to see the page as readers see it.</p>`}
        </article>
      </section>
    </div>
    ${pageHistory(book.id, changes)}`
}

/** The heading of an editor. */
export function editorTitle(place: Place): string {
  if (place.kind === 'page') return `Edit page ${place.pageNum}`
  return place.position === 'start' ? 'Add a page at the start' : 'Add a page at the end'
}

function editorForm(view: EditorView): Html {
  const { book, place, csrfToken, fields } = view
  const path = `/books/${book.id}/edit/${placeName(place)}`
  const hint = place.kind === 'new' ? 'Begin with the heading of the page, such as “# Chapter 1”.' : 'Markdown.'
  return html`<form
    class="editor"
    method="post"
    action="${path}"
    data-editor
    data-draft-path="${path}/draft"
    data-preview-path="${path}/preview"
    data-saved="${view.isKept ? 'yes' : 'no'}"
  >
    ${hiddenField('csrf', csrfToken)} ${hiddenField('version', String(fields.version))}
    ${hiddenField('draft', fields.draft)} ${hiddenField('key', fields.key)} ${hiddenField('kept', fields.kept)}
    ${hiddenField('lineEnds', fields.lineEnds)} ${lettersChoice(fields.letters)}
    <label for="text">Text</label>
    <p class="hint" id="text-hint">${hint}</p>
    ${textArea({ name: 'text', text: fields.text, describedBy: 'text-hint', language: book.language })}
    <p class="editor-state" role="status" data-state></p>
    <div class="choices">
      <button>Save</button>
      <button class="quiet" formaction="${path}/draft">Keep as draft</button>
      <button class="quiet" formaction="${path}/preview">Preview</button>
    </div>
  </form>`
}

/** The choice of font, which style sheets read and the script remembers. */
function lettersChoice(chosen: EditorFields['letters']): Html {
  const letters = [
    ['serif', 'Serif'],
    ['mono', 'Monospace'],
  ] as const
  return html`<fieldset class="letters">
    <legend class="hidden-text">Font</legend>
    ${letters.map(
      ([value, label]) =>
        html`<label
          ><input type="radio" name="letters" value="${value}" ${value === chosen ? html`checked` : ''} />
          ${label}</label
        >`,
    )}
  </fieldset>`
}

interface TextAreaOptions {
  name: string
  text: string
  describedBy: string
  language: string | null
  readonly?: boolean
}

/** A large Markdown field. HTML drops one line feed at its start, so one is added before the text. */
export function textArea({ name, text, describedBy, language, readonly = false }: TextAreaOptions): Html {
  return html`<textarea
    id="${name}"
    name="${name}"
    rows="24"
    dir="auto"
    lang="${language ?? ''}"
    aria-describedby="${describedBy}"
    autocomplete="off"
    ${readonly ? html`readonly` : ''}
  >
${text}</textarea>`
}

function draftOffer({ book, place, offered, csrfToken, version }: EditorView): Html | '' {
  if (!offered) return ''
  const path = `/books/${book.id}/edit/${placeName(place)}`
  const base = place.kind === 'page' ? html`, based on version ${offered.version}` : ''
  return html`<div class="notice draft-offer">
    <p>
      You have a draft of ${formatDateTime(offered.at)}${base}.
      ${place.kind === 'page' && offered.version < version ? html`The book is now at version ${version}.` : ''}
    </p>
    <div class="choices">
      <a class="button quiet" href="${path}?draft=1">Continue with the draft</a>
      <form method="post" action="${path}/discard">
        ${hiddenField('csrf', csrfToken)} ${hiddenField('draft', offered.revision)}
        <button class="quiet">Discard the draft</button>
      </form>
    </div>
  </div>`
}

function pageHistory(id: string, changes: readonly PageChange[]): Html | '' {
  if (changes.length === 0) return ''
  return html`<section aria-labelledby="history-title">
    <h2 id="history-title">Recent changes to this page</h2>
    <ul class="rows">
      ${changes.map(
        (change) =>
          html`<li>
            <div>
              <p>${writerName(change)}</p>
              <p class="quiet-text">${formatDateTime(change.at)}, version ${change.version}</p>
            </div>
            ${
              change.previous === null
                ? html`<span class="quiet-text">The page was added</span>`
                : html`<a href="/books/${id}/versions/compare?from=${change.previous}&amp;to=${change.version}"
                    >Compare<span class="hidden-text"> version ${change.version} with the one before</span></a
                  >`
            }
          </li>`,
      )}
    </ul>
    <p><a href="/books/${id}/versions">All versions of the book</a></p>
  </section>`
}
