/**
 * The address to which a field of a Word document leads (ECMA-376, part 1, 17.16.5): a web address, or `#bookmark` for a
 * cross-reference; null for any other field.
 */
export function addressOfField(instruction: string): string | null {
  const [, name = '', rest = ''] = /^\s*([a-z]{1,20})\s+([^]{0,2000})$/i.exec(instruction) ?? []
  const kind = name.toUpperCase()
  if (kind === 'REF' || kind === 'PAGEREF') return bookmarkIn(rest)
  if (kind !== 'HYPERLINK') return null
  const [, bookmark] = /\\l\s+("[^"]*"|[^"\s]+)/.exec(rest) ?? []
  const [, address] = /^(?:\\[a-km-z]\s+)*("[^"]*"|[^"\s\\]\S*)/.exec(rest) ?? []
  if (address !== undefined) return withoutQuotes(address)
  return bookmark === undefined ? null : bookmarkIn(bookmark)
}

function bookmarkIn(text: string): string | null {
  const [, name = ''] = /^\s*("[^"]*"|[^"\s\\]+)/.exec(text) ?? []
  return name === '' ? null : addressOfBookmark(withoutQuotes(name))
}

/** The address of a bookmark. Its name can have half of a surrogate pair, which an address cannot. */
export function addressOfBookmark(name: string): string {
  return `#${encodeURIComponent(name.toWellFormed())}`
}

function withoutQuotes(text: string): string {
  return text.replaceAll('"', '').trim()
}
