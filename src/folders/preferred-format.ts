import type { FileFormat } from '../books/file-formats.ts'

/**
 * Formats in order of preference: reflowable text with chapters and notes before printed pages; among the former, those
 * with more structure first.
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

/** The file of a book in the most preferred format, the first one on a tie; undefined if there is none. */
export function preferredFile<T extends { kind: FileFormat }>(files: readonly T[]): T | undefined {
  return files.toSorted((a, b) => preference.indexOf(a.kind) - preference.indexOf(b.kind))[0]
}
