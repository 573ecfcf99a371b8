import { html } from 'hono/html'
import { AppError, type ErrorCode } from '../core/errors.ts'
import { toFormProblem } from './form.ts'
import { respondPage } from './respond.ts'
import type { SignedInVisit } from './visit.ts'

/** What stands between a reader and a text, and where the way out is. */
const refusalPages: Partial<Record<ErrorCode, [heading: string, path: string, label: string]>> = {
  READ_LIMIT_EXCEEDED: ['No reads left', '/plans', 'See the plans'],
  ITEM_LOCKED: ['This book is locked', '/library/usable', 'Pick the books that stay usable'],
  FORBIDDEN: ['Not in the preview', '/plans', 'See the plans'],
}

/** A page for the refusals that readers of books meet; throws every other error on. */
export function respondReaderRefusal(visit: SignedInVisit, error: unknown): Promise<Response> {
  const known = error instanceof AppError ? refusalPages[error.code] : undefined
  const problem = toFormProblem(error)
  if (!known || !problem) throw error
  const [heading, path, label] = known
  const { status, message, retryAfterSeconds } = problem
  return respondPage(visit, {
    title: heading,
    status,
    retryAfterSeconds,
    content: html`<h1>${heading}</h1>
      <p class="lead">${message}</p>
      <p><a href="${path}">${label}</a></p>`,
  })
}
