import { html } from 'hono/html'
import { DeletedItems } from '../../../books/schema.ts'
import { ReprocessedItem } from '../../../books/enrich-schema.ts'
import { JobResult } from '../../../imports/schema.ts'
import { isActive, listImportsOfBooks, type ImportOfBook } from '../../../imports/list-imports.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import { emptyState } from '../../components/empty-state.ts'
import { formProblem } from '../../components/fields.ts'
import { icon } from '../../components/icon.ts'
import type { Html } from '../../components/html.ts'
import { handleForm, readSessionForm, type Form, type FormState } from '../../form.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'
import { importRow } from './import-row.ts'
import { openImportEvents } from './import-events.ts'

const dayMs = 24 * 60 * 60 * 1000
/** How long ended imports are shown, ms, and the maximum number. */
const endedForMs = 14 * dayMs
const maxEnded = 100

/** Mounts /imports: running, failed and recently ended imports, and the events of their progress. */
export function mountImports(routes: PageRoutes): void {
  routes.signedInPage('GET', '/imports', (visit) => importsPage(visit))
  routes.scriptRoute('GET', '/imports/events', openImportEvents)
  mountAction(routes, 'cancel', async (visit, form) => {
    await callToolForVisit(visit, { name: 'cancel_job', raw: { jobId: form.get('job') ?? '' } }, JobResult)
  })
  mountAction(routes, 'retry', async (visit, form) => {
    const password = form.get('password') ?? ''
    const raw = { itemId: form.get('item') ?? '', ...(password === '' ? {} : { password }) }
    await callToolForVisit(visit, { name: 'reprocess_item', raw }, ReprocessedItem)
  })
  mountAction(routes, 'delete', async (visit, form) => {
    await callToolForVisit(visit, { name: 'delete_items', raw: { ids: [form.get('item') ?? ''] } }, DeletedItems)
  })
}

const notices = {
  cancel: html`The import is cancelled. The file is kept.`,
  retry: html`The file is in the queue again.`,
  delete: html`The book is deleted. You can bring it back from <a href="/library/deleted">Deleted books</a>.`,
}
type Action = keyof typeof notices

function mountAction(
  routes: PageRoutes,
  action: Action,
  run: (visit: SignedInVisit, form: Form) => Promise<void>,
): void {
  routes.signedInPage('POST', `/imports/${action}`, (visit) =>
    handleForm({
      read: () => readSessionForm(visit),
      async submit(form) {
        await run(visit, form)
        return redirect(visit, `/imports?done=${action}`)
      },
      renderAgain: ({ problem }) => importsPage(visit, problem ? { problem } : {}),
    }),
  )
}

async function importsPage(visit: SignedInVisit, state: FormState = {}): Promise<Response> {
  const { ctx } = visit
  const changedSince = new Date(ctx.now().getTime() - endedForMs)
  const imports = latestOfEachBook(await listImportsOfBooks(ctx, { changedSince, limit: maxEnded }))
  const done = visit.url.searchParams.get('done') ?? ''
  const notice = Object.hasOwn(notices, done) ? notices[done as Action] : addedNotice(visit.url)
  return respondPage(visit, {
    title: 'Imports',
    problem: state.problem,
    scripts: ['live-imports'],
    content: html`<div class="page-head">
        <h1>Imports</h1>
        ${imports.length === 0 ? '' : html`<a class="button" href="/add">${icon('plus')}Add books</a>`}
      </div>
      ${notice === null || state.problem ? '' : html`<p class="notice" role="status">${notice}</p>`}
      ${formProblem(state)}
      <p class="hidden-text" role="status" data-import-announcements></p>
      ${importList(imports, sessionToken(visit))}`,
  })
}

/** The notice after files were added without JavaScript. */
function addedNotice({ searchParams }: URL): Html | null {
  const added = Number(searchParams.get('added'))
  if (!Number.isInteger(added) || added < 1 || added > 1000) return null
  return added === 1 ? html`The file was added and is being read.` : html`${added} files were added and are being read.`
}

function importList(imports: readonly ImportOfBook[], token: string): Html {
  if (imports.length === 0) {
    return emptyState({
      icon: 'upload',
      title: 'Nothing is being imported',
      text: 'Files that you add appear here while they are read, and for two weeks after that.',
      actions: html`<a class="button" href="/add">${icon('plus')}Add books</a>`,
    })
  }
  const active = imports.filter(isActive)
  const failed = imports.filter((one) => !isActive(one) && one.status !== 'SUCCEEDED')
  const finished = imports.filter(({ status }) => status === 'SUCCEEDED')
  return html`<div id="imports" data-renew-when-ended>
    ${active.length === 0 ? '' : group(`Being imported (${active.length.toLocaleString('en-GB')})`, active, token)}
    ${
      active.length === 0
        ? ''
        : html`<noscript
            ><p><a href="/imports">Refresh</a> the page to see the progress.</p></noscript
          >`
    }
    ${failed.length === 0 ? '' : group(`Not imported (${failed.length.toLocaleString('en-GB')})`, failed, token)}
    ${finished.length === 0 ? '' : group('Finished in the last two weeks', finished, token)}
  </div>`
}

function group(heading: string, imports: readonly ImportOfBook[], token: string): Html {
  return html`<section class="imports">
    <h2>${heading}</h2>
    <ul class="rows">
      ${imports.map((one) => importRow(one, token))}
    </ul>
  </section>`
}

/** Keeps only the latest import of each book, without deleted books. */
function latestOfEachBook(imports: readonly ImportOfBook[]): ImportOfBook[] {
  const seen = new Set<string>()
  return imports.filter(({ itemId, book }) => book !== null && !seen.has(itemId) && seen.add(itemId))
}
