import { html } from 'hono/html'
import type { Html } from '../../components/html.ts'
import type { FileOutcome } from './add-file.ts'

/** The outcomes for the files of a form, those that need attention first. */
export function fileResults(outcomes: readonly FileOutcome[]): Html | '' {
  if (outcomes.length === 0) return ''
  const added = outcomes.filter(({ kind }) => kind === 'added')
  const others = outcomes.filter(({ kind }) => kind !== 'added')
  return html`<section class="made add-results" role="status">
    <h2>
      ${
        added.length === 0
          ? 'No file was added'
          : `${added.length} of ${outcomes.length} ${outcomes.length === 1 ? 'file is' : 'files are'} added`
      }
    </h2>
    <ul class="rows">
      ${[...others, ...added].map(resultRow)}
    </ul>
    ${added.length === 0 ? '' : html`<p><a href="/imports">See the progress of the imports</a></p>`}
  </section>`
}

function resultRow(outcome: FileOutcome): Html {
  return html`<li class="add-${outcome.kind}">
    <div>
      <strong dir="auto">${outcome.filename}</strong>
      <p class="may">${explanation(outcome)}</p>
    </div>
  </li>`
}

function explanation(outcome: FileOutcome): Html {
  if (outcome.kind === 'added')
    return outcome.shelved
      ? html`Added. It is being read now.`
      : html`Added. It is being read now. It is not on the shelf that you chose, because that shelf no longer exists.`
  if (outcome.kind === 'refused') {
    const { reason, link } = outcome
    return html`Not added. ${reason} ${link ? html`<a href="${link[0]}">${link[1]}</a>` : ''}`
  }
  const { id, title, language } = outcome.book
  const lang = language ? html`lang="${language}"` : ''
  return html`Not added: you already have this book. ${outcome.remark}
    <a href="/books/${id}" dir="auto" ${lang}>Open “${title}”</a>, or select “Add files even if I already have them” and
    send the file again.`
}
