import { html } from 'hono/html'
import { compareConflict, type PageConflict } from '../../../writing/describe-conflict.ts'
import { hiddenField } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import { textDiff, textLines } from '../../components/text-diff.ts'
import { writerName } from '../../components/writer-name.ts'
import { formatDateTime } from '../../format/format-time.ts'
import { lineEndsOf, type EditorFields } from './editor-form.ts'
import { textArea } from './editor-view.ts'

/** A page that was changed by somebody else while it was being edited. */
export interface ConflictView {
  conflict: PageConflict
  /** The page number in the version on which the change is based. */
  pageNum: number
  fields: EditorFields
  csrfToken: string
  /** The revision of the draft with the text; empty if it could not be saved. */
  draft: string
  /** Identifies the attempt to add the text as a new page. */
  key: string
}

/** Both texts and their common base, with a field for the text to save. */
export function conflictView(view: ConflictView): Html {
  const { conflict, pageNum, draft } = view
  const { book, version } = conflict
  return html`<p class="kind">
      <a href="/books/${book.id}/edit"><bdi>${book.title}</bdi></a>
    </p>
    <h1 class="under-kind">Page ${pageNum} was changed in the meantime</h1>
    <div class="problem" role="alert">
      <p>
        ${explanation(view)} Your text is not saved to the book yet.${draft === '' ? '' : ' It is kept as your draft.'}
      </p>
      <p class="quiet-text">You began with version ${view.fields.version}; the book is now at version ${version}.</p>
    </div>
    ${authorLine(conflict)} ${conflictColumns(view)}`
}

function explanation({ conflict, pageNum }: ConflictView): Html {
  if (conflict.pageNum === null) return html`Page ${pageNum} is no longer in the book.`
  if (isOwnChange(conflict)) return html`You changed this page in another window while you were writing.`
  const [latest] = conflict.changes
  const who = latest ? writerName(latest) : html`Somebody`
  return html`${who} changed this page while you were writing.`
}

/** True if all changes of the page since are the writer's own, saved in another window or on another device. */
function isOwnChange({ changes }: PageConflict): boolean {
  return changes.length > 0 && changes.every(({ byCallerInBrowser }) => byCallerInBrowser)
}

function authorLine({ book, changes }: PageConflict): Html | '' {
  if (changes.length === 0) return ''
  return html`<ul class="rows who">
    ${changes.map(
      (change) =>
        html`<li>
          <div><p>${writerName(change)}, ${formatDateTime(change.at)}, version ${change.version}</p></div>
          ${
            change.previous === null
              ? ''
              : html`<a href="/books/${book.id}/versions/compare?from=${change.previous}&amp;to=${change.version}"
                  >Compare<span class="hidden-text"> version ${change.version} with the one before</span></a
                >`
          }
        </li>`,
    )}
  </ul>`
}

function conflictColumns(view: ConflictView): Html {
  const { conflict, fields } = view
  const { book, before, theirs, version } = conflict
  const compared = compareConflict(conflict, fields.text)
  const isOwn = isOwnChange(conflict)
  const nothing = html`<p class="quiet-text">The page is not in this version.</p>`
  const plain = (text: string) => textLines(text, book.language)
  const notKept = html`<p class="quiet-text">The text of this version is no longer stored.</p>`
  const beforeText = before === null ? notKept : plain(before)
  const theirsText =
    theirs === null ? nothing : compared.theirs === null ? plain(theirs) : textDiff(compared.theirs, book.language)
  return html`<div class="versions-beside">
      ${column('mine', isOwn ? 'This window' : 'Yours', textDiff(compared.mine, book.language))}
      ${column('theirs', `${isOwn ? 'The other window' : 'Theirs'}, version ${version}`, theirsText)}
      ${column('before', `Before, version ${fields.version}`, beforeText)}
    </div>
    ${resolution(view, compared.merged)}`
}

/** A text with its heading, scrollable with the keyboard. */
function column(id: string, title: string, content: Html): Html {
  return html`<section aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title}</h2>
    <div class="text-beside" role="group" aria-labelledby="${id}-title" tabindex="0">${content}</div>
  </section>`
}

/** The form with the text to save: both changes if they can be merged, otherwise the writer's own. */
function resolution({ conflict, pageNum, fields, csrfToken, draft, key }: ConflictView, merged: string | null): Html {
  const { book, version, theirs } = conflict
  const place = conflict.pageNum ?? 'end'
  const path = `/books/${book.id}/edit/${place}`
  const text = merged ?? fields.text
  const isOwn = isOwnChange(conflict)
  const hint =
    conflict.pageNum === null
      ? 'This is your text. Save it as a new page at the end of the book, or discard it.'
      : merged === null
        ? isOwn
          ? 'Both windows changed the same lines, so this is the text of this window. Add what you want to keep of the other.'
          : 'You both changed the same lines, so this is your text. Add what you want to keep of theirs.'
        : 'This text contains both changes. Read it before you save it.'
  return html`<form
    class="editor"
    method="post"
    action="${path}"
    data-editor
    data-draft-path="${path}/draft"
    data-saved="${draft === '' ? 'no' : 'yes'}"
  >
    ${hiddenField('csrf', csrfToken)} ${hiddenField('version', String(version))}
    ${hiddenField('draft', place === pageNum ? draft : '')} ${hiddenField('kept', String(pageNum))}
    ${hiddenField('key', key)} ${hiddenField('lineEnds', lineEndsOf(theirs ?? fields.text))}
    <h2><label for="text">The text to save</label></h2>
    <p class="hint" id="text-hint">${hint}</p>
    ${textArea({ name: 'text', text, describedBy: 'text-hint', language: book.language })}
    <p class="editor-state" role="status" data-state></p>
    <div class="choices">
      <button>${conflict.pageNum === null ? 'Save as a new page' : 'Save this text'}</button>
      <button class="quiet" formaction="${path}/preview">Keep editing</button>
      <button class="quiet" formaction="${path}/discard">
        ${conflict.pageNum === null ? 'Discard my text' : isOwn ? 'Keep the other text and discard this one' : 'Keep theirs and discard my text'}
      </button>
    </div>
  </form>`
}
