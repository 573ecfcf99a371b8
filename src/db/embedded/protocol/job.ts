import type { Request } from './wire.ts'

/** A request and where its reply goes; the requests of one connection are answered in their order. */
export type Job = {
  request: Request
  answer: (document: Uint8Array) => void
  /** True when the client has gone, so that nobody can be answered. */
  isGone: () => boolean
}
