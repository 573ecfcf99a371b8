import { html } from 'hono/html'
import { BookGaps, DismissedGaps, FulfilledGaps, RestoredGaps, type GapGroup } from '../../../gaps/schema.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import { hiddenField } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import { formatDay } from '../../format/format-time.ts'
import type { Form } from '../../form.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'

/** Maximum number of requests that one form lists by id; larger groups are selected by topic. */
const maxNamed = 100

/** The reader requests for a book, for its owner, with forms to answer them. */
export async function bookRequests(visit: SignedInVisit, itemId: string): Promise<Html> {
  const list = async (status: GapGroup['status']) =>
    (await callToolForVisit(visit, { name: 'list_book_gaps', raw: { itemId, status } }, BookGaps)).gaps ?? []
  const [open, clustered, underWay, dismissed] = await Promise.all([
    list('OPEN'),
    list('CLUSTERED'),
    list('IN_PROGRESS'),
    list('DISMISSED'),
  ])
  const live = [...underWay, ...open, ...clustered]
  return html`<section aria-labelledby="requests">
    <h2 id="requests">Requests by readers</h2>
    ${
      live.length === 0
        ? html`<p class="quiet-text">
            No open requests. When readers or their agents look for something in this book and do not find it, their
            request appears here.
          </p>`
        : html`<ul class="rows">
            ${live.map((group) => request(visit, itemId, group))}
          </ul>`
    }
    ${
      dismissed.length === 0
        ? ''
        : html`<details>
            <summary>Dismissed (${dismissed.length})</summary>
            <ul class="rows">
              ${dismissed.map((group) => request(visit, itemId, group))}
            </ul>
          </details>`
    }
  </section>`
}

function request(visit: SignedInVisit, itemId: string, group: GapGroup): Html {
  const { subcategory, reporterCount, sampleIntent, aboutSection, status, latestAt } = group
  const readers = reporterCount === 1 ? '1 reader' : `${reporterCount.toLocaleString('en-GB')} readers`
  return html`<li>
    <div>
      <strong dir="auto">${subcategory}</strong>
      ${status === 'IN_PROGRESS' ? html`<span class="tag">Under way</span>` : ''}
      <p dir="auto">${sampleIntent}</p>
      <p class="facts">
        ${readers}, last ${formatDay(latestAt)}.
        ${aboutSection === null ? '' : html`About: <bdi>${aboutSection}</bdi>.`}
      </p>
    </div>
    <div class="actions request-actions">
      ${
        status === 'DISMISSED'
          ? answer(visit, itemId, { group, act: 'restore', label: 'Bring back' })
          : html`${answer(visit, itemId, { group, act: 'done', label: 'Mark as done' })}
            ${answer(visit, itemId, { group, act: 'dismiss', label: 'Dismiss' })}`
      }
    </div>
  </li>`
}

interface Answer {
  group: GapGroup
  act: keyof typeof acts
  label: string
}

function answer(visit: SignedInVisit, itemId: string, { group, act, label }: Answer): Html {
  const { gapIds, subcategory } = group
  return html`<form method="post" action="/books/${itemId}/requests">
    ${hiddenField('csrf', sessionToken(visit))} ${hiddenField('act', act)} ${hiddenField('topic', subcategory)}
    ${gapIds.length <= maxNamed ? hiddenField('requests', gapIds.join(',')) : ''}
    <button class="quiet small">${label}<span class="hidden-text">: ${subcategory}</span></button>
  </form>`
}

const acts = {
  done: ['resolve_book_gap', FulfilledGaps],
  dismiss: ['dismiss_book_gap', DismissedGaps],
  restore: ['restore_book_gap', RestoredGaps],
} as const

/** Marks requests as done, dismisses them or reopens them; returns which of these was done. */
export async function submitRequests(visit: SignedInVisit, itemId: string, form: Form): Promise<string> {
  const act = form.get('act') === 'done' ? 'done' : form.get('act') === 'restore' ? 'restore' : 'dismiss'
  const gapIds = (form.get('requests') ?? '').split(',').filter((id) => id !== '')
  const raw = { itemId, subcategory: form.get('topic') ?? '', ...(gapIds.length > 0 ? { gapIds } : {}) }
  const [name, output] = acts[act]
  await callToolForVisit(visit, { name, raw }, output)
  return `requests-${act}`
}
