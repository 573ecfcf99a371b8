import { cleanLine } from './extract/clean-text.ts'

const bookExtension = /\.(?:pdf|epub|md|markdown|mobi|prc|azw3?|cbz|docx|odt|rtf|fb2(?:\.zip)?|fbz|x?html?|txt)$/i
const documentExtension =
  /\.(?:pdf|epub|md|markdown|mobi|prc|azw3?|cbz|djvu|docx?|odt|rtf|fb2(?:\.zip)?|fbz|txt|tex|dvi|ps|x?html?|xml|fm|indd|qxd|pptx?)$/i
const placeholderPattern =
  /^(?:untitled|unknown|no title|title|unnamed)$|^(?:(?:new )?document|untitled|scan|img|image|file|layout|slide)[ _-]*\(?\d+\)?$/i
const producerPattern = /^(?:microsoft (?:word|powerpoint) - |powerpoint presentation$)/i
const pathPattern = /^(?:[a-z]:\\|\/|file:)/i
const isbnPattern = /^(?:97[89])?\d{9}[\dx]$/i
const arxivPattern = /^\d{4}\.\d{4,5}(?:v\d+)?$/
const hashPattern = /^(?=.*\d)[\da-f]{8,}$/i

/** True if a title looks like a file name or a program's placeholder, so that the owner should confirm it. */
export function looksLikeFileName(title: string): boolean {
  const text = title.trim()
  if ([documentExtension, placeholderPattern, producerPattern, pathPattern].some((pattern) => pattern.test(text)))
    return true
  if (/\s/.test(text)) return false
  return [isbnPattern, arxivPattern, hashPattern].some((pattern) => pattern.test(text)) || isSingleToken(text)
}

/** The title for an uploaded file: one visible line in NFC, at most 200 UTF-16 units, never empty. */
export function titleFromFilename(filename: string): string {
  const base = filename.slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1).trim()
  const name = base.replace(bookExtension, '').trim()
  // In a name with spaces, a hyphen belongs to a word or a subtitle: "Catch-22 by Joseph Heller".
  const words = /\s/.test(name) ? name : name.replaceAll('-', ' ')
  return cleanLine(words.replaceAll('_', ' ').normalize('NFC'), 200) ?? 'Untitled'
}

/**
 * True for words joined without a space, such as `my_book`, `developers-reference` and `The-Art-of-War-2`, but not
 * `Catch-22`.
 */
function isSingleToken(text: string): boolean {
  const separators = text.match(/(?<=\S)[-.](?=\S)/g)?.length ?? 0
  return text.includes('_') || separators > 2 || (separators > 0 && /^\p{Ll}/u.test(text))
}
