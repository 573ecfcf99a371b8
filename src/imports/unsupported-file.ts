import { type FileFormat, fileFormats, takenFiles } from '../books/file-formats.ts'
import { conversionAdvice, conversionAdviceFor } from '../books/unread-formats.ts'
import { AppError } from '../core/errors.ts'
import { matchesFormat } from './formats/match-format.ts'

/** The refusal (INVALID_INPUT) of a file whose name is not one of a supported format. */
export function unsupportedName(filename: string): AppError {
  return new AppError('INVALID_INPUT', conversionAdvice(filename) ?? `Only ${takenFiles} are supported`)
}

/** Why a file that begins with `head` cannot have this format; null if it can. */
export function contentProblem(head: Uint8Array, format: FileFormat): string | null {
  if (matchesFormat(head, format)) return null
  const kind = format === 'markdown' || format === 'text' ? 'text' : fileFormats[format].name
  return (
    conversionAdviceFor(head) ??
    `The file is not in ${kind} format, although its name says so. Check that it is the right file, and add it again.`
  )
}
