import type { z } from 'zod'
import { AppError } from '../core/errors.ts'
import { asRefusal, httpForms } from '../transport/refusals.ts'
import { readBytes } from '../transport/read-body.ts'
import { parseInput } from '../core/parse-input.ts'
import { sessionBinding, type SignedVisit, type Visit } from './visit.ts'

const defaultMaxBytes = 32 * 1024

/** What a page says of a form that was refused. */
export interface Problem {
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
  problem?: Problem
}

interface FormFlow {
  read(): Promise<Form>
  act(form: Form): Promise<Response>
  /** The page of the form once more, with what was typed and why it was refused. */
  again(state: FormState): Promise<Response>
}

/** Reads a form and acts on it; a refusal shows the form again, unless it could not be read. */
export async function answerForm({ read, act, again }: FormFlow): Promise<Response> {
  let form: Form | undefined
  try {
    form = await read()
    return await act(form)
  } catch (error) {
    const sent = error instanceof StaleForm ? error.form : form
    const problem = problemOf(error)
    if (!problem || !sent) throw error
    return again({ form: sent, problem })
  }
}

/** Reads a form of somebody who need not be signed in; refuses one whose token is not of this browser. */
export async function readVisitorForm(visit: Visit): Promise<Form> {
  const form = await readForm(visit.request, defaultMaxBytes)
  const visitor = visit.cookies.visitor(visit.request)
  if (visitor !== null && visit.site.formTokens.fits(`visitor:${visitor}`, form.get('csrf'))) return form
  throw new StaleForm(form)
}

/** Reads a form of somebody who is signed in; refuses one whose token is not of this session. */
export async function readOwnForm(visit: SignedVisit, maxBytes = defaultMaxBytes): Promise<Form> {
  const form = await readForm(visit.request, maxBytes)
  if (visit.site.formTokens.fits(sessionBinding(visit.signedIn), form.get('csrf'))) return form
  throw new StaleForm(form)
}

/** A form whose token does not fit: opened long ago, sent by another site, or the browser keeps no cookies. */
class StaleForm extends AppError {
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
  const again = form.get('again')
  if (again !== null && again !== form.get('password')) {
    throw new AppError('INVALID_INPUT', 'This is not the same password.', { details: { field: 'again' } })
  }
  return parsed
}

/** What to say on the page of a refused form; null for a defect. */
export function problemOf(error: unknown): Problem | null {
  const refusal = asRefusal(error)
  if (!refusal) return null
  const { code, message, details, retryAfterSeconds } = refusal
  const field = typeof details.field === 'string' ? details.field : null
  return { status: httpForms[code].status, message, field, retryAfterSeconds }
}
