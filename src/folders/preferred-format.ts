import type { FileFormat } from '../books/file-formats.ts'

/**
 * Which file of a book is taken: text that flows, with its chapters and notes, before pages that are printed; of those what says most
 * about its own structure.
 */
const preference: readonly FileFormat[] = [
  'epub',
  'azw3',
  'docx',
  'odt',
  'rtf',
  'fb2',
  'mobi',
  'html',
  'pdf',
  'cbz',
  'markdown',
  'text',
]

/** The file of a book in the best format to read; of several equal ones the first; undefined if there is none. */
export function preferredFile<T extends { kind: FileFormat }>(files: readonly T[]): T | undefined {
  return files.toSorted((a, b) => preference.indexOf(a.kind) - preference.indexOf(b.kind))[0]
}
