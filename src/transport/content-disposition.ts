const maxLength = 150
/** Control characters, characters that file systems refuse, quotes, and characters that can disguise a name. */
const unsafe = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\\/:*?"<>|%]/gu

/**
 * A file name that is valid on every system: at most 150 characters with its extension, no path, no invisible
 * characters.
 */
function safeFilename(name: string): string {
  const clean = name
    .normalize('NFC')
    .replace(unsafe, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^[. ]+/, '')
  const [, stem = '', extension = ''] = /^(.*?)(\.[A-Za-z0-9]{1,10})?$/.exec(clean) ?? []
  const short = [...stem]
    .slice(0, maxLength - extension.length)
    .join('')
    .trim()
    .replace(/[. ]+$/, '')
  return `${short === '' ? 'book' : short}${extension}`
}

/**
 * The `Content-Disposition` header for a download (RFC 6266): the name in ASCII for old programs, and in UTF-8 (RFC
 * 8187) if that differs.
 */
export function contentDisposition(name: string): string {
  const safe = safeFilename(name)
  // The decomposition turns wide quotes, slashes and dots into plain ones, so it is made safe again.
  const ascii = safeFilename(
    safe
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .replace(/[^\x20-\x7e]/g, '_'),
  )
  const plain = `attachment; filename="${ascii}"`
  if (ascii === safe) return plain
  const encoded = encodeURIComponent(safe).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${plain}; filename*=UTF-8''${encoded}`
}
