import { html } from 'hono/html'
import { DeletedItems } from '../../../books/schema.ts'
import { AppError } from '../../../core/errors.ts'
import { findAccessibleBooks } from '../../../books/access.ts'
import { AddedToShelf, RemovedFromShelf } from '../../../shelves/schema.ts'
import { shareItem } from '../../../teams/share-item.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import { hiddenField } from '../../components/fields.ts'
import type { Html } from '../../components/layout.ts'
import { handleForm, readSessionForm, type Form, type FormState } from '../../form.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'

type LibraryAgain = (visit: SignedInVisit, state: FormState) => Promise<Response>

/** Most books that one form acts on. */
const maxSelected = 200

/** Mounts /library/selection: what is done with the books ticked in the library. */
export function mountSelection(routes: PageRoutes, renderLibrary: LibraryAgain): void {
  routes.signedInPage('POST', '/library/selection', (visit) =>
    handleForm({
      read: () => readSessionForm(visit),
      submit: (form) => act(visit, form),
      renderAgain: (state) => renderLibrary({ ...visit, url: backUrl(visit, state.form) }, state),
    }),
  )
}

/** The page of the library that the form is on. */
function backUrl({ site, url }: SignedInVisit, form: Form | undefined): URL {
  const back = form?.get('back') ?? ''
  const target = URL.canParse(back, site.baseUrl) ? new URL(back, site.baseUrl) : null
  if (target?.origin === new URL(site.baseUrl).origin && target.pathname === '/library') return target
  return new URL('/library', url)
}

async function act(visit: SignedInVisit, form: Form): Promise<Response> {
  const ids = [...new Set(form.getAll('ids'))]
  if (ids.length === 0) throw new AppError('INVALID_INPUT', 'Tick at least one book, then choose what to do with it.')
  if (ids.length > maxSelected) {
    throw new AppError('INVALID_INPUT', `You ticked ${ids.length} books. Tick ${maxSelected} or fewer at a time.`)
  }
  switch (form.get('act')) {
    case 'shelve': {
      const raw = { shelf: form.get('shelf') ?? '', itemIds: ids }
      const { added, notFound } = await callToolForVisit(visit, { name: 'add_to_shelf', raw }, AddedToShelf)
      return done(visit, form, { done: 'shelved', n: added, missed: notFound.length })
    }
    case 'unshelve': {
      const raw = { shelf: form.get('from') ?? '', itemIds: ids }
      const { removed } = await callToolForVisit(visit, { name: 'remove_from_shelf', raw }, RemovedFromShelf)
      return done(visit, form, { done: 'unshelved', n: removed, missed: 0 })
    }
    case 'share':
      return share(visit, form, ids)
    case 'delete':
      return confirmDeletion(visit, form, ids)
    case 'delete-confirmed': {
      const { deleted } = await callToolForVisit(visit, { name: 'delete_items', raw: { ids } }, DeletedItems)
      return done(visit, form, { done: 'deleted', n: deleted.length, missed: ids.length - deleted.length })
    }
    default:
      throw new AppError('INVALID_INPUT', 'Choose what to do with the ticked books.')
  }
}

interface Outcome {
  done: keyof typeof notices
  /** Books that it was done to. */
  n: number
  /** Books that it could not be done to. */
  missed: number
}

function done(visit: SignedInVisit, form: Form, { done: what, n, missed }: Outcome): Response {
  const back = backUrl(visit, form)
  for (const [name, value] of Object.entries({ done: what, n, missed })) back.searchParams.set(name, String(value))
  return redirect(visit, back.pathname + back.search)
}

const books = (count: number) => (count === 1 ? '1 book' : `${count} books`)

const notices = {
  shelved: {
    done: (n: number) => `${books(n)} put on the shelf.`,
    missed: (n: number) => `${books(n)} could not be: no longer in your library.`,
  },
  unshelved: { done: (n: number) => `${books(n)} taken off the shelf.`, missed: () => '' },
  shared: {
    done: (n: number) => `${books(n)} shared with the team.`,
    missed: (n: number) => `${books(n)} could not be: you can share only books that are your own.`,
  },
  deleted: {
    done: (n: number) => `${books(n)} deleted.`,
    missed: (n: number) => `${books(n)} could not be: you can delete only books that are your own.`,
  },
} as const

/** Says what was done with the ticked books. */
export function selectionNotice({ url }: SignedInVisit): Html | '' {
  const notice = Object.entries(notices).find(([name]) => name === url.searchParams.get('done'))?.[1]
  if (!notice) return ''
  const [n, missed] = ['n', 'missed'].map((name) => numberOf(url.searchParams.get(name))) as [number, number]
  return html`<p class="notice" role="status">${notice.done(n)} ${missed > 0 ? notice.missed(missed) : ''}</p>`
}

function numberOf(text: string | null): number {
  return Math.min(maxSelected, Number(/^\d{1,3}$/.exec(text ?? '')?.[0] ?? 0))
}

/** Shares each book for reading; those that are not the person's own are left out. */
async function share(visit: SignedInVisit, form: Form, ids: readonly string[]): Promise<Response> {
  const teamId = form.get('team') ?? ''
  const outcome: Outcome = { done: 'shared', n: 0, missed: 0 }
  for (const itemId of ids) {
    try {
      await shareItem(visit.ctx, { teamId, itemId, accessLevel: 'READ' })
      outcome.n += 1
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'ITEM_NOT_OWNED')) throw error
      outcome.missed += 1
    }
  }
  return done(visit, form, outcome)
}

async function confirmDeletion(visit: SignedInVisit, form: Form, ids: readonly string[]): Promise<Response> {
  const found = await findAccessibleBooks(visit.ctx, ids)
  const own = found.filter(({ access }) => access.kind === 'own')
  if (own.length === 0) throw new AppError('FORBIDDEN', 'None of the ticked books is your own, so none can be deleted.')
  const { pathname, search } = backUrl(visit, form)
  return respondPage(visit, {
    title: 'Delete books',
    content: html`<h1>Delete ${books(own.length)}?</h1>
      ${found.length > own.length ? html`<p>${books(found.length - own.length)} of others are left as they are.</p>` : ''}
      <ul class="rows">
        ${own.map(({ title }) => html`<li><div dir="auto">${title}</div></li>`)}
      </ul>
      <form method="post" action="/library/selection" class="form">
        ${hiddenField('csrf', sessionToken(visit))} ${hiddenField('back', pathname + search)}
        ${own.map(({ id }) => hiddenField('ids', id))}
        <div class="choices">
          <button class="grave" name="act" value="delete-confirmed">Delete ${books(own.length)}</button>
          <a class="button quiet" href="${pathname + search}">Cancel</a>
        </div>
      </form>`,
  })
}
