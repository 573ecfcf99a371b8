import { fileFormats, formatOf } from '../../books/file-formats.ts'

interface Described {
  url: URL
  /** The header fields `Content-Disposition` and `Content-Type`; undefined if absent. */
  disposition: string | undefined
  contentType: string | undefined
}

/**
 * The name of a file from the web: of its `Content-Disposition` (RFC 6266), else the end of the path. The ending of its media
 * type is added to a name that is not one of a book.
 */
export function nameOfFile({ url, disposition = '', contentType = '' }: Described): string {
  const given = nameOfDisposition(disposition) ?? decoded(url.pathname.split('/').findLast((part) => part !== '') ?? '')
  const name = (given.split(/[/\\]/).at(-1) ?? '').trim().slice(0, 200) || url.hostname
  if (formatOf(name)) return name
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const format = Object.values(fileFormats).find(({ contentTypes }) => contentTypes[0] === type)
  return `${name}${format?.extensions[0] ?? ''}`
}

function nameOfDisposition(header: string): string | null {
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(header)?.[1]
  if (extended !== undefined) return decoded(extended)
  const [, quoted, plain] = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s"]+))/i.exec(header) ?? []
  const name = quoted?.replaceAll(/\\(.)/g, '$1') ?? plain
  if (name === undefined) return null
  const text = Buffer.from(name, 'latin1').toString('utf8')
  return text.includes('\ufffd') ? name : text
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
