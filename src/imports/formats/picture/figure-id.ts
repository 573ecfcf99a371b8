import { createHash } from 'node:crypto'
import { figureIdLength } from '../../../text/figure-markers.ts'

/** The name of a figure: the begin of the SHA-256 of its bytes in hexadecimal digits, so that equal figures are one. */
export function figureIdOfBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex').slice(0, figureIdLength)
}
