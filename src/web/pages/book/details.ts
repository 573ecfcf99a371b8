import { html } from 'hono/html'
import { EnrichedItem } from '../../../books/enrich-schema.ts'
import type { Book } from '../../../books/book.ts'
import { titleFromFilename } from '../../../imports/title-from-filename.ts'
import { readDetails, type BookDetails } from '../../../reading/read-details.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import { field, formProblem, hiddenField, textField } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import { handleForm, readSessionForm, type Form, type FormState } from '../../form.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { mountTextForm } from '../../text-form.ts'
import { sessionToken, type SignedInVisit, type Visit } from '../../visit.ts'
import { formatContents, parseContents } from './contents-lines.ts'
import { respondReaderRefusal } from './respond-reader-refusal.ts'

/** Maximum size of the form in bytes; enough for a table of contents of thousands of lines. */
const maxFormBytes = 4 * 1024 * 1024

/** Mounts /books/{id}/details, which edits title, author, description and table of contents of a book. */
export function mountDetails(routes: PageRoutes): void {
  routes.signedInPage('GET', '/books/:id/details', (visit) => detailsPage(visit))
  mountTextForm(routes, '/books/:id/details', {
    maxBytes: maxFormBytes,
    answer: (visit) =>
      handleForm({
        read: () => readSessionForm(visit, maxFormBytes),
        submit: (form) => saveDetails(visit, form),
        renderAgain: (state) => detailsPage(visit, state),
      }),
    notDone: 'The details have not been saved.',
    button: 'Save details',
    renderSignedOut: keptDetailsForm,
  })
}

/** The fields of the form with their labels. */
const labels = {
  title: 'Title',
  author: 'Author',
  description: 'Description',
  sampleQuestion: 'A question that the book answers',
  outcomes: 'What readers learn from it',
  toc: 'Table of contents',
  prompt: 'Add an instruction',
  promptContext: 'When it applies',
}

/** The form of a visitor who is signed out: only the submitted texts, because the book may not be shown. */
function keptDetailsForm(state: FormState, { url }: Visit): Html {
  return html`<form method="post" action="${url.pathname}" class="form wide">
    ${hiddenField('csrf', '')}
    ${Object.entries(labels).map(([name, label]) => textField(state, { name, label, required: false }))}
    <button>Save details</button>
  </form>`
}

async function saveDetails(visit: SignedInVisit, form: Form): Promise<Response> {
  const { id = '' } = visit.params
  const textOf = (name: string) => (form.get(name) ?? '').replaceAll('\r\n', '\n').trim()
  const [prompt, context] = [textOf('prompt'), textOf('promptContext')]
  const raw = {
    itemId: id,
    title: textOf('title'),
    author: textOf('author') || null,
    description: textOf('description') || null,
    sampleQuestion: textOf('sampleQuestion') || null,
    outcomes: textOf('outcomes')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
    ...(await changedContents(visit, textOf('toc'))),
    ...(prompt === '' ? {} : { addPrompt: { prompt, ...(context === '' ? {} : { context }) } }),
    // A person has reviewed them.
    confidence: 1,
  }
  await callToolForVisit(visit, { name: 'enrich_item', raw }, EnrichedItem)
  return redirect(visit, `/books/${encodeURIComponent(id)}?done=details`)
}

/** The table of contents if it was changed in the form; an empty one restores that of the file. */
async function changedContents(visit: SignedInVisit, typed: string): Promise<{ toc?: unknown }> {
  const { toc } = await readDetails(visit.ctx, { id: visit.params['id'] ?? '' })
  return typed === formatContents(toc).trim() ? {} : { toc: parseContents(typed) }
}

async function detailsPage(visit: SignedInVisit, state: FormState = {}): Promise<Response> {
  try {
    const details = await readDetails(visit.ctx, { id: visit.params['id'] ?? '' })
    const { problem } = state
    return await respondPage(visit, {
      title: `Details of ${details.book.title}`,
      problem,
      content: detailsForm(visit, details, state),
    })
  } catch (error) {
    return respondReaderRefusal(visit, error)
  }
}

/** Fields of the form, by their names in refusals. */
const fieldOf: ReadonlyMap<string, string> = new Map(
  Object.entries({ 'addPrompt.prompt': 'prompt', 'addPrompt.context': 'promptContext' }),
)
const fields = new Set(Object.keys(labels))

/** Moves the problem to its field, or to the top of the form if it has none. */
function atFields({ form, problem }: FormState): FormState {
  if (!problem) return { form }
  const [first = ''] = (problem.field ?? '').split(/[.[]/)
  const name = fieldOf.get(problem.field ?? '') ?? (first === 'addPrompt' ? 'prompt' : first)
  return { form, problem: { ...problem, field: fields.has(name) ? name : null } }
}

/** The value of the title field: the heading with which the text begins, in place of a title from the name of the file. */
function proposeTitle({ title, original }: Book, heading: string | null): { value: string; hint?: string } {
  if (heading === null || heading === title || !original || title !== titleFromFilename(original.filename))
    return { value: title }
  return { value: heading.slice(0, 200), hint: `From the first page. The current title is “${title}”.` }
}

function detailsForm(visit: SignedInVisit, { book, toc, openingHeading }: BookDetails, submitted: FormState): Html {
  const state = atFields(submitted)
  const { id, title, author, description, sampleQuestion, outcomes } = book
  const isOpen = (name: string) => (state.problem?.field === name || state.form?.get(name) ? html`open` : '')
  return html`<p class="kind"><a href="/books/${id}" dir="auto">${title}</a></p>
    <h1 class="under-kind">Edit details</h1>
    ${formProblem(state)}
    <form method="post" action="/books/${id}/details" class="form wide">
      ${hiddenField('csrf', sessionToken(visit))}
      ${field(state, { name: 'title', label: labels.title, autocomplete: 'on', maxlength: 200, ...proposeTitle(book, openingHeading) })}
      ${field(state, { name: 'author', label: labels.author, autocomplete: 'on', maxlength: 200, required: false, value: author ?? '' })}
      ${textField(state, {
        name: 'description',
        label: labels.description,
        hint: 'What the book is about. The description helps people and agents to choose the right book.',
        required: false,
        maxlength: 4000,
        value: description ?? '',
      })}
      ${textField(state, {
        name: 'sampleQuestion',
        label: labels.sampleQuestion,
        hint: 'An example of what somebody could ask about this book.',
        required: false,
        maxlength: 500,
        value: sampleQuestion ?? '',
      })}
      ${textField(state, {
        name: 'outcomes',
        label: labels.outcomes,
        hint: 'Up to six points, one on each line, each of up to 140 characters.',
        required: false,
        value: outcomes.join('\n'),
      })}
      <details ${state.problem?.field === 'toc' ? html`open` : ''}>
        <summary>Contents</summary>
        ${textField(state, {
          name: 'toc',
          label: labels.toc,
          hint: 'One line for each entry: its page, then its title. Begin a line with two spaces to put the entry below the previous one. Clear the field to use the contents of the file again.',
          required: false,
          value: formatContents(toc),
        })}
      </details>
      ${book.access.kind === 'own' ? promptFields(state, book.prompts, isOpen('prompt')) : ''}
      <div class="actions"><button>Save details</button><a class="button quiet" href="/books/${id}">Cancel</a></div>
    </form>`
}

function promptFields(state: FormState, prompts: readonly { prompt: string }[], open: Html | ''): Html {
  return html`<details ${open}>
    <summary>Instructions for your assistants</summary>
    ${
      prompts.length === 0
        ? ''
        : html`<ul>
            ${prompts.map(({ prompt }) => html`<li dir="auto">${prompt}</li>`)}
          </ul>`
    }
    ${textField(state, {
      name: 'prompt',
      label: labels.prompt,
      hint: 'Your own assistants see it with this book; other readers do not. A book can have up to ten.',
      required: false,
      maxlength: 2000,
    })}
    ${textField(state, { name: 'promptContext', label: labels.promptContext, required: false, maxlength: 2000 })}
  </details>`
}
