import type { IncomingMessage } from 'node:http'
import type { RequestState } from '../transport/request-state.ts'

/** Time from the begin of a request until its body is there, ms. */
export interface BodyTimes {
  /** Without a valid credential. */
  anonymous: number
  /** Of an authenticated caller. */
  caller: number
  /** Of a file for a valid upload URL, or of a form with files; a pause in it ends the upload much earlier. */
  upload: number
}

export const bodyTimes: BodyTimes = { anonymous: 30_000, caller: 5 * 60_000, upload: 30 * 60_000 }

/** The operation name of the PUT to an upload URL. */
export const uploadOperation = 'receive_upload'

const states = new WeakMap<IncomingMessage, RequestState>()

/** Records the state of a request, which tells later whether its caller was authenticated. */
export function noteRequestState(request: IncomingMessage, state: RequestState): void {
  states.set(request, state)
}

/** How long the body of a request may take at present. Credentials are checked before bodies are read. */
export function bodyTimeOf(request: IncomingMessage, times: BodyTimes): number {
  const { actorId = null, operationName, receivesFiles } = states.get(request) ?? {}
  if (actorId === null) return times.anonymous
  return receivesFiles || operationName === uploadOperation ? times.upload : times.caller
}
