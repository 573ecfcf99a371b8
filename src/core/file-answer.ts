import type { StreamedBytes } from '../runtime/byte-stream.ts'

/** A byte range from `start` to `end`, both inclusive. */
export interface ByteRange {
  start: number
  end: number
}

/** The output of a capability that returns a file: its metadata and a way to read its bytes. */
export interface FileAnswer {
  contentType: string
  /** The suggested file name; may contain any characters. */
  filename: string
  /** Size in bytes; null for a file that is generated while it is sent. Such a file has no ranges. */
  size: number | null
  /**
   * The entity tag, which changes with the bytes (RFC 9110, section 8.8.3), without quotes. Null for a file that
   * differs each time and must not be cached.
   */
  etag: string | null
  /** Opens the file or a range of it, just before it is sent. May throw a refusal. */
  open(range: ByteRange | null): Promise<StreamedBytes>
}
