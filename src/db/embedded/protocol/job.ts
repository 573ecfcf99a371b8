import type { Request } from './wire.ts'

/** A request and where its reply goes; requests of one source are answered in their order. */
export type Job = {
  request: Request
  source: object
  answer: (document: Uint8Array) => void
  /** True when nobody is there any more to be answered. */
  gone: () => boolean
}
