import type { IncomingMessage } from 'node:http'
import type { RequestState } from '../transport/request-state.ts'

/** Maximum time from the start of a request until its body is complete, ms. */
export interface BodyTimes {
  /** For a request without a valid credential. */
  anonymous: number
  /** For an authenticated caller. */
  caller: number
  /** For a file sent to a valid upload URL, or a form with files. A stalled upload ends much earlier. */
  upload: number
}

export const bodyTimes: BodyTimes = { anonymous: 30_000, caller: 5 * 60_000, upload: 30 * 60_000 }

/** The operation name of the PUT to an upload URL. */
export const uploadOperation = 'receive_upload'

const states = new WeakMap<IncomingMessage, RequestState>()

/** Records the state of a request, from which `bodyTimeOf` learns whether the caller is authenticated. */
export function noteRequestState(request: IncomingMessage, state: RequestState): void {
  states.set(request, state)
}

/** The current time limit for the body of a request, ms. Credentials are checked before bodies are read. */
export function bodyTimeOf(request: IncomingMessage, times: BodyTimes): number {
  const { actorId = null, operationName, receivesFiles } = states.get(request) ?? {}
  if (actorId === null) return times.anonymous
  return receivesFiles || operationName === uploadOperation ? times.upload : times.caller
}
