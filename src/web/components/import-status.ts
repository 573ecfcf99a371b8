import { html } from 'hono/html'
import { isActive, type ImportState } from '../../imports/list-imports.ts'
import { adviceOn } from './import-advice.ts'
import type { Html } from './html.ts'

/** The progress of an import, in words and as the value of a bar. */
export interface ImportWords {
  label: string
  /** Value of the bar; null if the duration is unknown. */
  value: number | null
  max: number
}

/** Describes the progress of an import, such as “Page 120 of 1,000”. */
export function describeImport({ status, stage, pages, ahead, errorCode }: ImportState): ImportWords {
  const unknown = { value: null, max: 1 }
  if (status === 'SUCCEEDED') return { label: 'Ready', value: 1, max: 1 }
  if (status === 'CANCELLED') return { label: 'Cancelled', value: 0, max: 1 }
  if (status === 'FAILED') return { label: adviceOn(errorCode).reason, value: 0, max: 1 }
  if (status === 'PENDING') return { label: waitingLabel(ahead), value: 0, max: 1 }
  if (!pages) return { label: stage === 'reading' ? 'Reading the file' : 'Opening the file', ...unknown }
  const { done, total } = pages
  if (total === null) return { label: `${inWords(done, 'page')} read`, ...unknown }
  if (done >= total) return { label: `${inWords(total, 'page')} read, saving the book`, value: total, max: total }
  return { label: `Page ${count(done)} of ${count(total)}`, value: done, max: total }
}

interface StatusOptions {
  /** Title of the book, for screen readers. */
  title: string
}

/**
 * The progress of an import, as a line and a bar, which the script `live-imports` updates. Put it into an element with
 * an `id` and `data-renew-when-ended`; the script reloads that element from the page when the import has ended.
 */
export function importStatus(state: ImportState, { title }: StatusOptions): Html {
  const { label, value, max } = describeImport(state)
  return html`<div class="import-status" data-job-id="${state.id}" data-status="${state.status}" data-title="${title}">
    <span class="import-label">${label}</span>
    ${
      isActive(state)
        ? html`<progress
            max="${max}"
            ${value === null ? '' : html`value="${value}"`}
            aria-label="Import of ${title}"
          ></progress>`
        : ''
    }
  </div>`
}

function waitingLabel(ahead: number | null): string {
  if (ahead === null || ahead === 0) return 'Waiting to be read'
  if (ahead > maxShownAhead) return `Waiting: more than ${maxShownAhead} of your files are ahead of it`
  return ahead === 1 ? 'Waiting: 1 of your files is ahead of it' : `Waiting: ${ahead} of your files are ahead of it`
}

/** Queue positions beyond this number are not shown, so that an ended import affects few others. */
const maxShownAhead = 20

const count = (number: number) => number.toLocaleString('en-GB')
const inWords = (number: number, noun: string) => `${count(number)} ${number === 1 ? noun : `${noun}s`}`
