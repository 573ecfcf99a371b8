import { html } from 'hono/html'
import { AppError, type ErrorCode } from '../../../core/errors.ts'
import { toFormProblem } from '../../form.ts'
import { respondPage } from '../../respond.ts'
import type { SignedInVisit } from '../../visit.ts'

/** The heading of each refusal page, and a link to the remedy. */
const refusalPages: Partial<Record<ErrorCode, [heading: string, path: string, label: string]>> = {
  READ_LIMIT_EXCEEDED: ['No reads left', '/plans', 'See the plans'],
  ITEM_LOCKED: ['This book is locked', '/library/usable', 'Choose your usable books'],
  FORBIDDEN: ['Not in the preview', '/plans', 'See the plans'],
}

/** Responds with a page for the refusals of a reading call; rethrows every other error. */
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
