import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { AppError } from '../core/errors.ts'
import { itemNotFound } from '../books/find-book.ts'
import { toRefusal, httpErrorMappings } from '../transport/refusals.ts'
import { readBytes } from '../transport/read-body.ts'
import { parseInput } from '../core/parse-input.ts'
import { parseFormFields } from './parse-form-fields.ts'
import { wordsAboutPlan } from './plan-words.ts'
import { sessionBinding, type SignedInVisit, type Visit } from './visit.ts'

/** The maximum size of a form without long texts, bytes. */
export const defaultMaxFormBytes = 32 * 1024

/** Why a form was rejected, for display on its page. */
export interface FormProblem {
  status: number
  message: string
  /** The invalid field; null if the problem concerns the whole form. */
  field: string | null
  retryAfterSeconds: number | undefined
  /** True if a larger plan would help. */
  concernsPlan?: boolean
}

/** The submitted fields of a form. */
export type Form = URLSearchParams

/** The submitted fields and their problem; empty when the form is shown for the first time. */
export interface FormState {
  form?: Form | undefined
  problem?: FormProblem
}

interface FormHandler {
  read(): Promise<Form>
  submit(form: Form): Promise<Response>
  /** Renders the form's page again with the submitted values and the problem. */
  renderAgain(state: FormState): Promise<Response>
}

/** Reads and submits a form. Shows the form again if it is rejected; throws if it cannot be read. */
export async function handleForm({ read, submit, renderAgain }: FormHandler): Promise<Response> {
  let form: Form | undefined
  try {
    form = await read()
    return await submit(form)
  } catch (error) {
    const submitted = error instanceof StaleFormError ? error.form : form
    const problem = toFormProblem(error)
    if (!problem || !submitted) throw error
    return renderAgain({ form: submitted, problem })
  }
}

/** Reads a form that needs no sign-in; refuses with FORBIDDEN a CSRF token of another browser. */
export async function readVisitorForm(visit: Visit): Promise<Form> {
  const form = await readForm(visit.request, defaultMaxFormBytes)
  const visitor = visit.cookies.visitorToken(visit.request)
  if (visitor !== null && visit.site.formTokens.verify(`visitor:${visitor}`, form.get('csrf'))) return form
  throw new StaleFormError(form)
}

/** Reads a form of the signed-in account; refuses a CSRF token of another session with FORBIDDEN. */
export async function readSessionForm(visit: SignedInVisit, maxBytes = defaultMaxFormBytes): Promise<Form> {
  const form = await readForm(visit.request, maxBytes)
  requireSessionToken(visit, form)
  return form
}

/** Refuses with FORBIDDEN a form without the CSRF token of the session. */
export function requireSessionToken(visit: SignedInVisit, form: Form): void {
  if (!visit.site.formTokens.verify(sessionBinding(visit.signedIn), form.get('csrf'))) throw new StaleFormError(form)
}

/** Reads a form of a user who is no longer signed in. Its fields may only be shown again. */
export function readFormAfterSignOut({ request }: Visit, maxBytes: number): Promise<Form> {
  return readForm(request, maxBytes)
}

/** The CSRF token does not match: the form is old, another site sent it, or the browser blocks cookies. */
class StaleFormError extends AppError {
  readonly form: Form

  constructor(form: Form) {
    super('FORBIDDEN', 'This form has expired. Nothing was changed. Send it again, and allow cookies for this site.')
    this.form = form
  }
}

async function readForm(request: Request, maxBytes: number): Promise<Form> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send the form as application/x-www-form-urlencoded.')
  }
  return parseFormFields(new TextDecoder().decode(await readBytes(request, maxBytes)))
}

/**
 * The idempotency key of a submitted form: the same if a browser sends the same form again, as after a double click or
 * a lost answer. It depends on all fields, and on the CSRF token, which differs each time a form is displayed.
 */
export function idempotencyKeyOf(form: Form): string {
  return `form-${createHash('sha256').update(form.toString()).digest('base64url')}`
}

/** Validates the fields of a form, and that a repeated password is the same; refuses with INVALID_INPUT. */
export function parseForm<S extends z.ZodType>(schema: S, form: Form): z.output<S> {
  const parsed = parseInput(schema, Object.fromEntries(form))
  const repeatedPassword = form.get('again')
  if (repeatedPassword !== null && repeatedPassword !== form.get('password')) {
    throw new AppError('INVALID_INPUT', 'The passwords do not match.', { details: { field: 'again' } })
  }
  return parsed
}

/** Converts an error into a form problem; null for an internal error. */
export function toFormProblem(error: unknown): FormProblem | null {
  const refusal = toRefusal(error)
  if (!refusal) return null
  const { code, message, details, retryAfterSeconds } = refusal
  const field = typeof details['field'] === 'string' ? details['field'] : null
  const concernsPlan = details['upgradeUrl'] !== undefined
  return {
    status: httpErrorMappings[code].status,
    message: beginning(pageWords.get(message) ?? withoutRequests(concernsPlan ? wordsAboutPlan(message) : message)),
    field,
    retryAfterSeconds,
    concernsPlan,
  }
}

/** A message as a sentence: those about a field begin with its name in the API, such as `title`. */
function beginning(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1)
}

/** Messages that are worded for programs, and their words on pages. */
const pageWords: ReadonlyMap<string, string> = new Map(
  Object.entries({
    [itemNotFound().message]:
      'There is no such book in your library. It may have been deleted, or its owner may not share it with you.',
  }),
)

/** Leaves out the sentences that name a request of the API as the next step, such as "Follow it with GET /api/v1/jobs." */
function withoutRequests(message: string): string {
  return message.replaceAll(/(?<=[.!?]) [^.!?]*\b(?:GET|POST|PUT|PATCH|DELETE) \/api\/[^.!?]*[.!?]?/g, '')
}
