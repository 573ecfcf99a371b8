import type { HttpBindings } from '@hono/node-server'
import type { Actor, Call, Log } from '../core/context.ts'
import type { RateStatus } from '../core/errors.ts'

/** What is known of a request for its log line and its error body. */
export interface RequestState {
  requestId: string
  log: Log
  /** Tool or route name. */
  operationName: string
  actorId: string | null
  /** The state of the rate bucket that the request counted in. */
  rateStatus: RateStatus | null
}

export type Env = { Variables: { requestState: RequestState }; Bindings: Partial<HttpBindings> }

/** How a transport gets from a request to a call. */
export interface Authenticator {
  /** Who holds this credential; refuses with UNAUTHENTICATED. */
  authenticate(token: string, apiKeyOnly?: boolean): Promise<Actor>
  /** The caller of routes that ask for no credential. */
  anonymousActor(): Actor
  /** Who is signed in in the browser that sent this; refuses with UNAUTHENTICATED, and forged requests with FORBIDDEN. */
  authenticateSession(request: Request): Promise<Actor>
  createCall(request: Request, requestState: RequestState, caller: Pick<Call, 'actor' | 'transport' | 'budget'>): Call
}
