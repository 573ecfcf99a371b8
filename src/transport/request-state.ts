import type { HttpBindings } from '@hono/node-server'
import type { Actor, Call, Log } from '../core/context.ts'
import type { RateStatus } from '../core/errors.ts'

/** State of a request for its log line and error body. */
export interface RequestState {
  requestId: string
  log: Log
  /** Tool or route name. */
  operationName: string
  /** The authenticated caller; null before authentication and without a credential. */
  actorId: string | null
  /** The client's network address from `clientAddress`. */
  clientAddress: string
  /** True once an authenticated caller sends files, which may take long. */
  receivesFiles?: boolean
  /** State of the rate bucket in which the request was counted. */
  rateStatus: RateStatus | null
  /** Calls `end` once the answer has been sent or its connection has closed. */
  endWhenSent(end: () => void): void
}

export type Env = { Variables: { requestState: RequestState }; Bindings: Partial<HttpBindings> }

/** Authenticates requests and creates their calls. */
export interface Authenticator {
  /** Verifies an API key or access token; refuses with UNAUTHENTICATED. */
  authenticate(token: string, apiKeyOnly?: boolean): Promise<Actor>
  /** The caller of routes without a credential. */
  anonymousActor(): Actor
  /** Verifies the browser session of a request; refuses with UNAUTHENTICATED, and forged requests with FORBIDDEN. */
  authenticateSession(request: Request): Promise<Actor>
  createCall(request: Request, requestState: RequestState, caller: Pick<Call, 'actor' | 'transport' | 'budget'>): Call
}
