import type { z } from 'zod'
import { AppError } from '../core/errors.ts'
import { toRefusal, httpErrorMappings } from '../transport/refusals.ts'
import { readBytes } from '../transport/read-body.ts'
import { parseInput } from '../core/parse-input.ts'
import { sessionBinding, type SignedInVisit, type Visit } from './visit.ts'

const defaultMaxFormBytes = 32 * 1024

/** What a page says of a form that was refused. */
export interface FormProblem {
  status: number
  message: string
  /** The field that is wrong, where one is. */
  field: string | null
  retryAfterSeconds: number | undefined
}

/** What was sent with a form. */
export type Form = URLSearchParams

/** What a form was sent with and what is wrong with it; empty for a form that is shown first. */
export interface FormState {
  form?: Form | undefined
  problem?: FormProblem
}

interface FormHandler {
  read(): Promise<Form>
  submit(form: Form): Promise<Response>
  /** The page of the form once more, with what was typed and why it was refused. */
  renderAgain(state: FormState): Promise<Response>
}

/** Reads a form and acts on it; a refusal shows the form again, unless it could not be read. */
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

/** Reads a form of somebody who need not be signed in; refuses one whose token is not of this browser. */
export async function readVisitorForm(visit: Visit): Promise<Form> {
  const form = await readForm(visit.request, defaultMaxFormBytes)
  const visitor = visit.cookies.visitorToken(visit.request)
  if (visitor !== null && visit.site.formTokens.verify(`visitor:${visitor}`, form.get('csrf'))) return form
  throw new StaleFormError(form)
}

/** Reads a form of somebody who is signed in; refuses one whose token is not of this session. */
export async function readSessionForm(visit: SignedInVisit, maxBytes = defaultMaxFormBytes): Promise<Form> {
  const form = await readForm(visit.request, maxBytes)
  if (visit.site.formTokens.verify(sessionBinding(visit.signedIn), form.get('csrf'))) return form
  throw new StaleFormError(form)
}

/** A form whose token does not fit: opened long ago, sent by another site, or the browser keeps no cookies. */
class StaleFormError extends AppError {
  readonly form: Form

  constructor(form: Form) {
    super('FORBIDDEN', 'This form was out of date. Nothing was changed: please send it again. It needs cookies.')
    this.form = form
  }
}

async function readForm(request: Request, maxBytes: number): Promise<Form> {
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/x-www-form-urlencoded') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'A form is sent as application/x-www-form-urlencoded.')
  }
  return new URLSearchParams(new TextDecoder().decode(await readBytes(request, maxBytes)))
}

/** Checks the fields of a form; where a password is typed twice, also that it is the same. */
export function parseForm<S extends z.ZodType>(schema: S, form: Form): z.output<S> {
  const parsed = parseInput(schema, Object.fromEntries(form)) as z.output<S>
  const repeatedPassword = form.get('again')
  if (repeatedPassword !== null && repeatedPassword !== form.get('password')) {
    throw new AppError('INVALID_INPUT', 'This is not the same password.', { details: { field: 'again' } })
  }
  return parsed
}

/** What to say on the page of a refused form; null for a defect. */
export function toFormProblem(error: unknown): FormProblem | null {
  const refusal = toRefusal(error)
  if (!refusal) return null
  const { code, message, details, retryAfterSeconds } = refusal
  const field = typeof details['field'] === 'string' ? details['field'] : null
  return { status: httpErrorMappings[code].status, message, field, retryAfterSeconds }
}
