import { fileFormats, formatOf } from '../../books/file-formats.ts'

interface Described {
  url: URL
  /** Values of the header fields `Content-Disposition` and `Content-Type`; undefined if absent. */
  disposition: string | undefined
  contentType: string | undefined
}

/**
 * The name of a downloaded file: from its `Content-Disposition` (RFC 6266), otherwise the last segment of the path.
 * Adds the extension of its media type if the name has no extension of a book format.
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
