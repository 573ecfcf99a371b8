import { documentBook } from '../markup/document-book.ts'
import type { OpenBook } from '../../format.ts'
import { FormatError } from '../../format.ts'
import { readRtf } from './rtf-reader.ts'
import { RtfWriter } from './rtf-writer.ts'

/**
 * Opens a Rich Text Format file (1.9.1): headings by style or outline level, emphasis, lists, code, tables, links and
 * notes, in any code page and Unicode. PNG and JPEG pictures are passed to `keepFigure`.
 */
export const openRtf: OpenBook = async (bytes, limits, options) => {
  if (bytes.length > limits.totalBytes / 4) throw new FormatError('TOO_LARGE', `a file of ${bytes.length} bytes`)
  const document = readRtf(bytes)
  const readPicture = async (name: string, maxBytes: number): Promise<Uint8Array> => {
    const file = document.pictures[Number(name)]
    if (file === undefined || file.length > maxBytes) throw new FormatError('BROKEN', `no picture ${name}`)
    return file
  }
  const parts = [(writer: ConstructorParameters<typeof RtfWriter>[0]) => new RtfWriter(writer, document).write()]
  return documentBook({ info: document.info, parts, readPicture }, limits, options?.keepFigure)
}
