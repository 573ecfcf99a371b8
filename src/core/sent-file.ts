import { z } from 'zod'

/** A file that arrives as the body of a request. */
export interface SentFile {
  /** Can be read once. Throws if the body ends early. If the reader stops early, the connection stays open. */
  body: AsyncIterable<Uint8Array>
  /** Size in bytes; null if the request does not declare it. */
  contentLength: number | null
}

/** A stream instead of a JSON value: see `Route.fileBody`. */
export const SentFile = z.custom<SentFile>((value) => typeof value === 'object' && value !== null && 'body' in value, {
  error: 'Send the file as the body of the request',
})
