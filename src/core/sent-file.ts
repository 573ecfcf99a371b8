import { z } from 'zod'

/** A file that is the body of a request, while it arrives. */
export interface SentFile {
  /** To be read once. Throws when the body stops arriving; leaving it early leaves the connection open. */
  body: AsyncIterable<Uint8Array>
  /** Bytes; null if the request does not say. */
  contentLength: number | null
}

/** Not a JSON value: see `Route.fileBody`. */
export const SentFile = z.custom<SentFile>((value) => typeof value === 'object' && value !== null && 'body' in value, {
  error: 'Send the file as the body of the request',
})
