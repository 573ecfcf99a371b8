import type { StreamedBytes } from '../runtime/byte-stream.ts'

/** Bytes from `start` to `end`, both included. */
export interface ByteRange {
  start: number
  end: number
}

/** What a capability answers that gives out a file: its description, and how its bytes are had. */
export interface FileAnswer {
  contentType: string
  /** As it is offered to people; any text. */
  filename: string
  /** Bytes; null for a file that is made while it is sent, which has no ranges. */
  size: number | null
  /**
   * Names the state of the file: other bytes, another tag (RFC 9110, section 8.8.3, without quotes). Null for one that is never the
   * same twice, which nobody is to keep.
   */
  etag: string | null
  /** Opens the file, or a part of it, when it is going to be sent. May refuse. */
  open(range: ByteRange | null): Promise<StreamedBytes>
}
