import { html } from 'hono/html'
import { findAccessibleBook } from '../../../books/find-book.ts'
import { AppError, type ErrorCode } from '../../../core/errors.ts'
import { findReadingPosition } from '../../../reading/reading-positions.ts'
import type { Html } from '../../components/html.ts'
import { toFormProblem } from '../../form.ts'
import { respondPage } from '../../respond.ts'
import type { SignedInVisit } from '../../visit.ts'

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
 * Responds with a page for the refusals of a reading call, which leads back to the book; rethrows every other error,
 * and that of a book which the reader may not see.
 */
export async function respondReaderRefusal(visit: SignedInVisit, error: unknown): Promise<Response> {
  const known = error instanceof AppError ? refusalPageOf(error) : undefined
  const problem = toFormProblem(error)
  if (!known || !problem) throw error
  const { heading, link } = known
  const back = await linkToBook(visit)
  if (!back && !link) throw error
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
