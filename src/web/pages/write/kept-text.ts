import { html } from 'hono/html'
import type { ErrorCode } from '../../../core/errors.ts'
import type { Html } from '../../components/html.ts'
import type { FormProblem } from '../../form.ts'
import { textArea } from './editor-view.ts'

/** Where to continue if a book cannot be edited: a path and the text of its link. */
const remedies: Partial<Record<ErrorCode, (id: string) => [heading: string, path: string, label: string]>> = {
  FORBIDDEN: (id) => ['You can read this book but not edit it', `/books/${id}`, 'Read the book'],
  ITEM_NOT_EDITABLE: (id) => ['This book has no editor', `/books/${id}`, 'Read the book'],
  ITEM_LOCKED: () => ['This book is locked', '/library/usable', 'Choose your usable books'],
  NOT_FOUND: () => ['Not found', '/', 'Go to the home page'],
}

/** The reason in words for people, where the refusal is written for programs. */
const reasons: Partial<Record<ErrorCode, string>> = {
  ITEM_NOT_EDITABLE: 'Only Markdown books can be edited, and only after they have been imported.',
}

/** More helpful messages for people than the refusal. */
const advice: Partial<Record<ErrorCode, Html>> = {
  FORBIDDEN: html`Ask the owner of the book, or whoever shared it with your team, to let you change it.`,
  ITEM_NOT_EDITABLE: html`To write about this book, <a href="/add/markdown">write a Markdown book</a>.`,
}

interface RefusedEditor {
  id: string
  code: ErrorCode
  problem: FormProblem
  /** Typed text to show, so that it can be copied; null if there is none. */
  text: string | null
}

/** A page in place of an editor, with the next step and the typed text. */
export function refusedEditor({ id, code, problem, text }: RefusedEditor): { title: string; content: Html } {
  const [title, path, label] = remedies[code]?.(id) ?? ['Not saved', `/books/${id}/edit`, 'Back to the pages']
  const reason = reasons[code] ?? problem.message
  return {
    title,
    content: html`<h1>${title}</h1>
      <p class="lead">${reason}${/[.!?]$/.test(reason) ? '' : '.'}</p>
      ${advice[code] ? html`<p>${advice[code]}</p>` : ''} ${text === null ? '' : keptText(text)}
      <p><a class="button" href="${path}">${label}</a></p>`,
  }
}

function keptText(text: string): Html {
  return html`<h2><label for="kept-text">Your text</label></h2>
    <p class="hint" id="kept-hint">It is not saved in the book. Copy it before you leave this page.</p>
    ${textArea({ name: 'kept-text', text, describedBy: 'kept-hint', language: null, readonly: true })}`
}

/**
 * The page for a form that arrived after the session had ended: it keeps the text, which can be sent again after
 * sign-in.
 */
export function signedOutEditor({
  action,
  signIn,
  text,
  hidden,
}: {
  action: string
  signIn: string
  text: string
  hidden: Html
}): Html {
  return html`<h1>You are signed out</h1>
    <p class="lead">Your text has not been saved. You find it below.</p>
    <ol class="steps">
      <li><a href="${signIn}" target="_blank" rel="opener">Sign in in another tab</a>.</li>
      <li>Come back here and press “Save”.</li>
    </ol>
    <form class="editor" method="post" action="${action}">
      ${hidden}
      <label for="text">Text</label>
      ${textArea({ name: 'text', text, describedBy: 'text-hint', language: null })}
      <p class="hint" id="text-hint">If you leave this page, this text is lost.</p>
      <div class="choices"><button>Save</button></div>
    </form>`
}
