import { ClientError } from './client-error.ts'
import { foreignAnswer, sendRequest } from './rest-client.ts'
import { isFields } from './show-value.ts'
import type { Server } from './server.ts'

/** Calls a route and returns the response. Throws `ClientError` with the message of a refusal. */
export async function callJson(
  server: Server,
  method: string,
  { path, body }: { path: string; body?: object },
): Promise<Record<string, unknown>> {
  const response = await sendRequest(server, {
    method,
    path,
    headers: body ? { 'Content-Type': 'application/json' } : {},
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const answer: unknown = await response.json().catch(() => null)
  if (response.ok && isFields(answer)) return answer
  throw refusalOf(server, response.status, answer)
}

/** The error of a refusal; a response without JSON does not come from a Lectern server. */
export function refusalOf({ url }: Server, status: number, answer: unknown): ClientError {
  const { error = foreignAnswer(url, status), code } = isFields(answer) ? answer : {}
  return new ClientError(typeof code === 'string' ? code : (codes[status] ?? 'UNAVAILABLE'), String(error))
}

const codes: Record<number, string> = {
  400: 'INVALID_INPUT',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
}
