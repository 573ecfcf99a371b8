import { httpErrorMappings, toRefusal } from '../transport/refusals.ts'

/** The JSON response of a route for scripts; caches must not store it. */
export function scriptAnswer(body: unknown, status = 200): Response {
  return Response.json(body, { status, headers: { 'Cache-Control': 'no-store' } })
}

/** The response of a route for scripts to a thrown error: `{ error: { code, message } }`; hides internal errors. */
export function scriptRefusal(error: unknown): Response {
  const refusal = toRefusal(error)
  if (!refusal) {
    const message = 'Something went wrong on this server. Try again; the error has been logged.'
    return scriptAnswer({ error: { code: 'INTERNAL', message } }, 500)
  }
  const { code, message, retryAfterSeconds } = refusal
  const answer = scriptAnswer({ error: { code, message } }, httpErrorMappings[code].status)
  if (retryAfterSeconds !== undefined) answer.headers.set('Retry-After', String(retryAfterSeconds))
  return answer
}
