import { html } from 'hono/html'
import { AppError } from '../../../core/errors.ts'
import { AddedToShelf, RemovedFromShelf } from '../../../shelves/schema.ts'
import { shareItem } from '../../../teams/share-item.ts'
import { callToolForVisit } from '../../call-tool-for-visit.ts'
import type { Html } from '../../components/html.ts'
import { handleForm, readSessionForm, type Form, type FormState } from '../../form.ts'
import { redirect } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { mountShortForm } from '../../text-form.ts'
import type { SignedInVisit } from '../../visit.ts'
import { createNewShelf, newShelf, newShelfPage } from './new-shelf.ts'

type RenderLibrary = (visit: SignedInVisit, state: FormState) => Promise<Response>

/** Maximum number of books per form. */
const maxSelected = 200

/** Mounts /library/selection: actions for the books selected in the library. */
export function mountSelection(routes: PageRoutes, renderLibrary: RenderLibrary): void {
  mountShortForm(routes, '/library/selection', {
    typed: { name: 'Name' },
    answer: (visit) =>
      handleForm({
        read: () => readSessionForm(visit),
        submit: (form) => act(visit, form),
        renderAgain: (state) =>
          state.form?.get('act') === 'new-shelf' && state.form.has('ids')
            ? askForShelf(visit, state.form, state)
            : renderLibrary({ ...visit, url: backUrl(visit, state.form) }, state),
      }),
  })
}

/** The library page that contains the form. */
function backUrl({ site, url }: SignedInVisit, form: Form | undefined): URL {
  const back = form?.get('back') ?? ''
  const target = URL.canParse(back, site.baseUrl) ? new URL(back, site.baseUrl) : null
  if (target?.origin === new URL(site.baseUrl).origin && target.pathname === '/library') return target
  return new URL('/library', url)
}

function askForShelf(visit: SignedInVisit, form: Form, state: FormState = {}): Promise<Response> {
  const { pathname, search } = backUrl(visit, form)
  return newShelfPage(visit, { ids: idsOf(form), back: pathname + search, state })
}

const idsOf = (form: Form) => [...new Set(form.getAll('ids'))]

async function act(visit: SignedInVisit, form: Form): Promise<Response> {
  const ids = idsOf(form)
  if (ids.length === 0) throw new AppError('INVALID_INPUT', 'Select at least one book, then choose what to do with it.')
  if (ids.length > maxSelected) {
    throw new AppError('INVALID_INPUT', `You selected ${ids.length} books. Select ${maxSelected} or fewer at a time.`)
  }
  switch (form.get('act')) {
    case 'shelve':
      return form.get('shelf') === newShelf ? askForShelf(visit, form) : shelve(visit, form, form.get('shelf') ?? '')
    case 'new-shelf':
      return shelve(visit, form, (await createNewShelf(visit, form)).id)
    case 'unshelve': {
      const raw = { shelf: form.get('from') ?? '', itemIds: ids }
      const { removed } = await callToolForVisit(visit, { name: 'remove_from_shelf', raw }, RemovedFromShelf)
      return done(visit, form, { done: 'unshelved', n: removed, missed: 0 })
    }
    case 'share':
      return share(visit, form, ids)
    default:
      throw new AppError('INVALID_INPUT', 'Choose what to do with the selected books.')
  }
}

async function shelve(visit: SignedInVisit, form: Form, shelf: string): Promise<Response> {
  const itemIds = idsOf(form)
  const { notFound } = await callToolForVisit(visit, { name: 'add_to_shelf', raw: { shelf, itemIds } }, AddedToShelf)
  return done(visit, form, { done: 'shelved', n: itemIds.length - notFound.length, missed: notFound.length })
}

interface Outcome {
  done: keyof typeof notices
  /** Number of books for which it succeeded. */
  n: number
  /** Number of books for which it failed. */
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
    missed: (n: number) => `${books(n)} could not be put on the shelf, because you no longer have access.`,
  },
  unshelved: { done: (n: number) => `${books(n)} taken off the shelf.`, missed: () => '' },
  shared: {
    done: (n: number) => `${books(n)} shared with the team.`,
    missed: (n: number) => `${books(n)} could not be shared, because you can share only your own books.`,
  },
} as const

/** The notice after an action for the selected books. */
export function selectionNotice({ url }: SignedInVisit): Html | '' {
  const notice = Object.entries(notices).find(([name]) => name === url.searchParams.get('done'))?.[1]
  if (!notice) return ''
  const [n, missed] = ['n', 'missed'].map((name) => numberOf(url.searchParams.get(name))) as [number, number]
  return html`<p class="notice" role="status">${notice.done(n)} ${missed > 0 ? notice.missed(missed) : ''}</p>`
}

function numberOf(text: string | null): number {
  return Math.min(maxSelected, Number(/^\d{1,3}$/.exec(text ?? '')?.[0] ?? 0))
}

/** Shares each book for reading; skips books of other owners. */
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
