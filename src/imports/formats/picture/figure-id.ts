import { createHash } from 'node:crypto'
import { figureIdLength } from '../../../text/figure-markers.ts'

/** The id of a figure: the start of the SHA-256 of its bytes in hexadecimal, so that equal figures share one id. */
export function figureIdOfBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, figureIdLength)
}
