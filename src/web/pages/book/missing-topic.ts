import { html } from 'hono/html'
import type { AccessibleBook } from '../../../books/access.ts'
import { AcceptedReport } from '../../../gaps/schema.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import { field, hiddenField, textField } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import { idempotencyKeyOf, type Form, type FormState } from '../../form.ts'

const maxTopicLength = 200

/** The label of the button of the form. */
export const missingTopicButton = 'Send request'

/**
 * A form in which a reader says what a book lacks; its author sees it among the requests by readers. Empty for one's own
 * book, and for a book of which only a preview can be read: such requests are dropped. `lookedFor` is suggested as the
 * topic.
 */
export function missingTopic(
  { access, id }: AccessibleBook,
  { state, csrfToken, lookedFor }: { state: FormState; csrfToken: string; lookedFor?: string },
): Html | '' {
  if (access.kind === 'own' || access.previewPages !== null) return ''
  const isSent = state.form?.has('intent') === true
  const suggestion = lookedFor === undefined ? {} : { form: new URLSearchParams({ subcategory: clipTopic(lookedFor) }) }
  return html`<section aria-labelledby="missing">
    <h2 id="missing">Something missing?</h2>
    <details ${isSent ? html`open` : ''}>
      <summary>Say what you looked for and did not find</summary>
      ${missingTopicForm(`/books/${id}/missing`, { state: isSent ? state : suggestion, csrfToken })}
    </details>
  </section>`
}

function clipTopic(words: string): string {
  return words.trim().slice(0, maxTopicLength)
}

/** The form itself, also for a visitor whose session has ended. */
export function missingTopicForm(action: string, { state, csrfToken }: { state: FormState; csrfToken: string }): Html {
  return html`<form method="post" action="${action}" class="form">
    ${hiddenField('csrf', csrfToken)}
    ${field(state, { name: 'subcategory', label: 'Topic', hint: 'In a few words.', autocomplete: 'on', maxlength: maxTopicLength })}
    ${textField(state, {
      name: 'intent',
      label: 'What you looked for',
      hint: 'The owner of the book reads it without your name. Write nothing personal.',
      maxlength: 1000,
    })}
    ${field(state, { name: 'aboutSection', label: 'Chapter or section', autocomplete: 'on', required: false, maxlength: 200 })}
    <button>${missingTopicButton}</button>
  </form>`
}

/** Sends the form as a report of a gap. */
export async function submitMissingTopic(
  visit: Parameters<typeof callToolForVisit>[0],
  itemId: string,
  form: Form,
): Promise<void> {
  const aboutSection = form.get('aboutSection')?.trim() || null
  const raw = { itemId, subcategory: form.get('subcategory') ?? '', intent: form.get('intent') ?? '', aboutSection }
  const call = {
    name: 'report_book_gap',
    raw: { ...raw, category: 'other' },
    idempotencyKey: idempotencyKeyOf(form),
  }
  await callToolForVisit(visit, call, AcceptedReport)
}
