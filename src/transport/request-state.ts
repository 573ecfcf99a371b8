import type { HttpBindings } from '@hono/node-server'
import type { Actor, Call, Log } from '../core/context.ts'
import type { RateStatus } from '../core/errors.ts'

/** What is known of a request for its log line and its error body. */
export interface Scene {
  requestId: string
  log: Log
  /** Tool or route name. */
  name: string
  actorId: string | null
  /** The state of the rate bucket that the request counted in. */
  rate: RateStatus | null
}

export type Env = { Variables: { scene: Scene }; Bindings: Partial<HttpBindings> }

/** How a transport gets from a request to a call. */
export interface Gate {
  /** Who holds this credential; refuses with UNAUTHENTICATED. */
  authenticate(token: string, apiKeyOnly?: boolean): Promise<Actor>
  /** The caller of routes that ask for no credential. */
  anonymous(): Actor
  /** Who is signed in in the browser that sent this; refuses with UNAUTHENTICATED, and forged requests with FORBIDDEN. */
  signedIn(request: Request): Promise<Actor>
  call(request: Request, scene: Scene, caller: Pick<Call, 'actor' | 'door' | 'budget'>): Call
}
