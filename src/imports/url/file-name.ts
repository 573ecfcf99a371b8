import { type FileFormat, fileExtensions, fileFormats, formatOf } from '../../books/file-formats.ts'
import { signatureOf } from '../formats/match-format.ts'
import { headerText } from './header-text.ts'

interface Described {
  url: URL
  /** Values of the header fields `Content-Disposition` and `Content-Type`; undefined if absent. */
  disposition: string | undefined
  contentType: string | undefined
  /** The first bytes of the file. */
  head: Uint8Array
}

const maxNameLength = 200

/**
 * The name of a downloaded file: from its `Content-Disposition` (RFC 6266), otherwise the last segment of the path.
 * If the name has no extension of a book format, adds the one of its media type, otherwise of its first bytes.
 */
export function nameOfFile({ url, disposition = '', contentType = '', head }: Described): string {
  const given = nameOfDisposition(disposition) ?? decoded(url.pathname.split('/').findLast((part) => part !== '') ?? '')
  const name = shortened((given.split(/[/\\]/).at(-1) ?? '').trim()) || url.hostname
  if (formatOf(name)) return name
  const format = formatOfType(mediaType(contentType)) ?? formatOfHead(head)
  return `${name}${format ? fileFormats[format].extensions[0] : ''}`
}

/** The media type of a `Content-Type` header field, in lower case and without parameters. */
export function mediaType(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()
}

/** Shortens a name to 200 characters and keeps its extension. */
function shortened(name: string): string {
  if (name.length <= maxNameLength) return name
  const extension = fileExtensions.find((each) => name.toLowerCase().endsWith(each)) ?? ''
  return `${name.slice(0, maxNameLength - extension.length).toWellFormed()}${extension}`
}

function nameOfDisposition(header: string): string | null {
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(header)?.[1]
  if (extended !== undefined) return decoded(extended)
  // Many servers leave out the type or the quotes around a name with spaces.
  const [, quoted, plain] = /(?:^|;)\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;"\s][^;"]*))/i.exec(header) ?? []
  const name = quoted?.replaceAll(/\\(.)/g, '$1') ?? plain
  return name === undefined || name === '' ? null : headerText(name)
}

/** The format with this media type. A type of several formats belongs to the one whose own type it is. */
function formatOfType(type: string): FileFormat | null {
  const formats = Object.keys(fileFormats) as FileFormat[]
  return formats.find((format) => fileFormats[format].contentTypes[0] === type) ?? null
}

/** The format that the first bytes of a file show; null for text, and for archives other than EPUB. */
function formatOfHead(head: Uint8Array): FileFormat | null {
  const signature = signatureOf(head)
  switch (signature) {
    case 'zip':
      return Buffer.from(head).includes('mimetypeapplication/epub+zip') ? 'epub' : null
    case 'kindle':
      return 'mobi'
    case 'text':
    case 'binary':
      return null
    case 'pdf':
    case 'rtf':
    case 'fb2':
    case 'html':
      return signature
    case 'mhtml':
      return 'html'
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
