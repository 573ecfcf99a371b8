import { html } from 'hono/html'
import { canWrite, type AccessibleBook } from '../../../books/access.ts'
import { isUnfinished } from '../../../books/unfinished.ts'
import { describeBook } from '../../../reading/describe-book.ts'
import { findReadingPosition } from '../../../reading/reading-positions.ts'
import { describeBooks } from '../../../library/describe-books.ts'
import { bookActions, removeMenu } from '../../book-actions.ts'
import { formProblem } from '../../components/fields.ts'
import type { Html } from '../../components/html.ts'
import { handleForm, readSessionForm, type Form, type FormState } from '../../form.ts'
import { redirect, respondPage } from '../../respond.ts'
import type { PageRoutes } from '../../routes.ts'
import { mountShortForm, mountTextForm, type TypedFields } from '../../text-form.ts'
import { sessionToken, type SignedInVisit } from '../../visit.ts'
import { bookHead, bookUses } from './book-head.ts'
import { bookListing, submitListing, submitPublish, submitWithdraw } from './book-listing.ts'
import { bookReads } from './book-reads.ts'
import { bookRequests, submitRequests } from './book-requests.ts'
import { bookSharing, submitShare, submitUnshare } from './book-sharing.ts'
import { bookShelves, submitShelves } from './book-shelves.ts'
import { bookVersions } from './book-versions.ts'
import { contentsTree } from './contents-tree.ts'
import { missingTopic, missingTopicButton, missingTopicForm, submitMissingTopic } from './missing-topic.ts'
import { olderVersionWords, requestedVersion } from './opened-book.ts'
import { respondReaderRefusal } from './respond-reader-refusal.ts'

/**
 * Mounts /books/{id}: the page about a book, in the current version or in a cited one, with the actions of its owner.
 */
export function mountBook(routes: PageRoutes): void {
  routes.signedInPage('GET', '/books/:id', (visit) => bookPage(visit))
  for (const [path, submit] of Object.entries(forms))
    mountShortForm(routes, `/books/:id/${path}`, {
      typed: typedFields.get(path) ?? {},
      answer: (visit) => answerForm(visit, path, submit),
    })
  mountTextForm(routes, '/books/:id/missing', {
    maxBytes: 32_768,
    answer: (visit) => answerForm(visit, 'missing', submitMissingTopic),
    notDone: 'The request has not been sent.',
    button: missingTopicButton,
    renderSignedOut: (state, { url }) => missingTopicForm(url.pathname, { state, csrfToken: '' }),
  })
}

function answerForm(visit: SignedInVisit, path: string, submit: SubmitBookForm): Promise<Response> {
  const { id = '' } = visit.params
  return handleForm({
    read: () => readSessionForm(visit),
    async submit(form) {
      const done = (await submit(visit, id, form)) ?? path
      return redirect(visit, `/books/${encodeURIComponent(id)}?done=${done}#done`)
    },
    renderAgain: (state) => bookPage(visit, state),
  })
}

/** Submits a form; returns the key of the notice, by default the path of the form. */
type SubmitBookForm = (visit: SignedInVisit, id: string, form: Form) => Promise<string | void>

/** The forms of the page, by the last segment of their path. */
const forms: Record<string, SubmitBookForm> = {
  shelves: submitShelves,
  share: submitShare,
  unshare: submitUnshare,
  requests: submitRequests,
  publish: submitPublish,
  listing: submitListing,
  withdraw: submitWithdraw,
}

/** What people type into the forms, by their path. */
const typedFields = new Map<string, TypedFields>([
  ['shelves', { newShelf: 'New shelf' }],
  ['publish', { tags: 'Tags' }],
  ['listing', { tags: 'Tags' }],
])

/** The notices by key, with the section above which each is shown. */
const notices = new Map<string, readonly [section: BookSection, words: string]>([
  ['shelves', ['shelves', 'Shelves saved.']],
  ['share', ['sharing', 'Shared with the team.']],
  ['unshare', ['sharing', 'No longer shared with the team.']],
  ['requests-done', ['requests', 'Marked as done. The readers who asked are told.']],
  ['requests-dismiss', ['requests', 'Dismissed. You can bring it back.']],
  ['requests-restore', ['requests', 'Brought back.']],
  ['missing', ['missing', 'Sent, without your name.']],
  ['publish', ['marketplace', 'Published on the marketplace.']],
  ['listing', ['marketplace', 'Listing saved.']],
  ['withdraw', ['marketplace', 'Withdrawn from the marketplace.']],
  ['details', ['top', 'Details saved.']],
])
type BookSection = 'top' | 'requests' | 'missing' | 'shelves' | 'sharing' | 'marketplace'

/** The notice after a form (`?done=shelves#done`) if it belongs to this section. */
function noticeAt(section: BookSection, { url }: SignedInVisit, { problem }: FormState): Html | '' {
  const [place, words] = notices.get(url.searchParams.get('done') ?? '') ?? []
  return place === section && !problem ? html`<p class="notice" id="done" role="status">${words}</p>` : ''
}

async function bookPage(visit: SignedInVisit, state: FormState = {}): Promise<Response> {
  try {
    const { id = '' } = visit.params
    return await respondBook(visit, await describeBook(visit.ctx, { id, version: requestedVersion(visit) }), state)
  } catch (error) {
    return respondReaderRefusal(visit, error)
  }
}

async function respondBook(
  visit: SignedInVisit,
  description: Awaited<ReturnType<typeof describeBook>>,
  state: FormState,
): Promise<Response> {
  const { ctx } = visit
  const { book, outline } = description
  const isOwn = book.access.kind === 'own'
  const [position, surroundingsOf, reads, versions, aside, requests, actions] = await Promise.all([
    findReadingPosition(ctx, book.id),
    describeBooks(ctx, [book]),
    isOwn && outline ? bookReads(visit, outline) : '',
    outline ? bookVersions(visit, book) : '',
    asideOf(visit, book, state),
    isOwn ? bookRequests(visit, book.id) : '',
    actionsOf(visit, book, { isOlder: outline !== null && outline.manifest.version < book.version }),
  ])
  const { from, manuscript } = surroundingsOf(book.id)
  return respondPage(visit, {
    title: outline ? `${book.title}${olderVersionWords(outline)}` : book.title,
    problem: state.problem,
    width: 'wide',
    scripts: isUnfinished(book) ? ['unfinished'] : [],
    content: html`${noticeAt('top', visit, state)} ${anyProblem(state)}
      ${bookHead({ ...description, position, from, manuscript, actions })}
      <div class="book-columns">
        <div class="book-main">
          ${reads} ${noticeAt('requests', visit, state)} ${requests} ${bookUses(book)}
          ${outline ? contentsTree(outline) : ''} ${noticeAt('missing', visit, state)}
          ${missingTopic(book, { state, csrfToken: sessionToken(visit) })}
        </div>
        <div class="book-aside">${aside} ${versions}</div>
      </div>`,
  })
}

/** The problem of a form in any field, because the page has many forms. */
function anyProblem({ problem }: FormState): Html | '' {
  return problem ? formProblem({ problem: { ...problem, field: null } }) : ''
}

async function actionsOf(visit: SignedInVisit, book: AccessibleBook, shown: { isOlder: boolean }): Promise<Html> {
  const isAdded = book.access.subscribedAt !== null
  const listing = isAdded ? await visit.ctx.listings.findByBook(book.ownerId, book.id) : null
  return html`${canWrite(book) ? html`<a class="button quiet" href="/books/${book.id}/details">Edit details</a>` : ''}
  ${
    canWrite(book) && book.sourceType === 'markdown'
      ? html`<a class="button quiet" href="/books/${book.id}/edit">Edit text</a>`
      : ''
  }
  ${bookActions(visit, book, shown)} ${listing ? removeMenu(visit, { title: book.title, listing }) : ''}`
}

async function asideOf(visit: SignedInVisit, book: AccessibleBook, state: FormState): Promise<Html> {
  const shelves = html`${noticeAt('shelves', visit, state)} ${await bookShelves(visit, book.id, state)}`
  if (book.access.kind !== 'own') return shelves
  const [sharing, listing] = await Promise.all([bookSharing(visit, book.id, state), bookListing(visit, book, state)])
  return html`${shelves} ${noticeAt('sharing', visit, state)} ${sharing} ${noticeAt('marketplace', visit, state)}
  ${listing}`
}
