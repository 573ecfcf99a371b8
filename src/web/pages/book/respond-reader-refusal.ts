import { html } from 'hono/html'
import { findAccessibleBook } from '../../../books/find-book.ts'
import { AppError, type ErrorCode } from '../../../core/errors.ts'
import { findLiveListing } from '../../../marketplace/find-book-listing.ts'
import { findReadingPosition } from '../../../reading/reading-positions.ts'
import type { Html } from '../../components/html.ts'
import { toFormProblem } from '../../form.ts'
import { formatDay } from '../../format/format-time.ts'
import { respondPage } from '../../respond.ts'
import type { SignedInVisit } from '../../visit.ts'
import { discoverUrl } from '../discover/discover-query.ts'

interface RefusalPage {
  heading: string
  /** The remedy; null: the link to the book is enough. */
  link: readonly [path: string, label: string] | null
}

/** The page of each refusal. */
const refusalPages: Partial<Record<ErrorCode, RefusalPage>> = {
  READ_LIMIT_EXCEEDED: { heading: 'No reads left', link: ['/plans', 'See the plans'] },
  ITEM_LOCKED: { heading: 'This book is locked', link: ['/library/usable', 'Choose your usable books'] },
  FORBIDDEN: { heading: 'Not allowed', link: null },
  NOT_FOUND: { heading: 'Not found', link: null },
}
const beyondPreview: RefusalPage = { heading: 'Not in the preview', link: ['/plans', 'See the plans'] }

/**
 * Responds with a page for the refusals of a reading call, which leads back to the book, to the bin if the reader has
 * deleted it, or to the marketplace if the reader has to add it there first; rethrows every other error, and that of any
 * other book which the reader may not see.
 */
export async function respondReaderRefusal(visit: SignedInVisit, error: unknown): Promise<Response> {
  const known = error instanceof AppError ? refusalPageOf(error) : undefined
  const problem = toFormProblem(error)
  if (!known || !problem) throw error
  const { heading, link } = known
  const back = await linkToBook(visit)
  if (!back && !link) return (await respondDeleted(visit)) ?? respondListed(visit, error)
  const { status, message, retryAfterSeconds } = problem
  return respondPage(visit, {
    title: heading,
    status,
    retryAfterSeconds,
    content: html`<h1>${heading}</h1>
      <p class="lead">${message}</p>
      ${link ? html`<p><a href="${link[0]}">${link[1]}</a></p>` : ''}
      ${back ? html`<p>Go to ${back}${await placeLink(visit, error)}</p>` : ''}`,
  })
}

/** Leads to the bin for a book that the caller has deleted; null for every other book. */
async function respondDeleted(visit: SignedInVisit): Promise<Response | null> {
  const { ctx, params } = visit
  const deleted = await ctx.bin.find(ctx.actor.id, params['id'] ?? '')
  if (deleted?.state !== 'kept') return null
  const { id, book, deletedAt } = deleted
  return respondPage(visit, {
    title: 'Deleted',
    status: 404,
    content: html`<h1>Deleted</h1>
      <p class="lead">
        You deleted <cite dir="auto" lang="${book.language ?? ''}">${book.title}</cite> on ${formatDay(deletedAt)}. You
        can still bring it back.
      </p>
      <p><a class="button" href="/library/deleted#book-${id}">Show deleted books</a></p>`,
  })
}

/** Leads to a book on the marketplace; rethrows the error for every other book. */
async function respondListed(visit: SignedInVisit, error: unknown): Promise<Response> {
  const listing = await findLiveListing(visit.ctx, visit.params['id'] ?? '')
  if (!listing) throw error
  const { id, item } = listing
  return respondPage(visit, {
    title: 'Not in your library',
    status: 404,
    content: html`<h1>Not in your library</h1>
      <p class="lead">
        <cite dir="auto">${item.title}</cite> is on the marketplace. Add it to your library, then you can read it.
      </p>
      <p>
        <a class="button" href="${discoverUrl({ query: item.title, sort: 'newest' })}#listing-${id}"
          >Show it in Discover</a
        >
      </p>`,
  })
}

function refusalPageOf({ code, details }: AppError): RefusalPage | undefined {
  return code === 'FORBIDDEN' && details['upgradeUrl'] !== undefined ? beyondPreview : refusalPages[code]
}

/** After a page that does not exist, a link to the page where the reader stopped; empty for other refusals. */
async function placeLink({ ctx, params }: SignedInVisit, error: unknown): Promise<Html | ''> {
  const { id = '', page } = params
  if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') return ''
  const position = await findReadingPosition(ctx, id)
  if (position === null || String(position.page) === page) return ''
  return html`, or <a href="/books/${id}/pages/${position.page}">continue on page ${position.page}</a>`
}

/** A link to the current version of the book; null if the reader may not see it. */
async function linkToBook({ ctx, params }: SignedInVisit): Promise<Html | null> {
  try {
    const { id, title, language } = await findAccessibleBook(ctx, params['id'] ?? '')
    return html`<a href="/books/${id}" dir="auto" lang="${language ?? ''}">${title}</a>`
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return null
    throw error
  }
}
