import type { PublicAddress } from '../core/context.ts'

interface BookVersionRef {
  id: string
  /** 0: the book has no text yet. */
  version: number
}

/** The URL of a book in one version, which shows its outline to readers with access. */
export function bookUrl({ baseUrl }: PublicAddress, { id, version }: BookVersionRef): string {
  return `${baseUrl}/books/${encodeURIComponent(id)}${version > 0 ? `?v=${version}` : ''}`
}

/**
 * The canonical URL of a page in a version. Its content never changes; without a version, for a book that has none yet,
 * it shows the current one.
 */
export function pageUrl(
  { baseUrl }: PublicAddress,
  { id, version, pageNum }: BookVersionRef & { pageNum: number },
): string {
  return `${baseUrl}/books/${encodeURIComponent(id)}/pages/${pageNum}${version > 0 ? `?v=${version}` : ''}`
}

const maxQuoteLength = 120
/** Allows for dense scripts, in which a character has nine characters when percent-encoded. */
const maxEncodedLength = 360

/**
 * The URL of a page that scrolls to a passage and highlights it: `#quote=` with the start of the passage, cut between
 * words. The fragment never leaves the browser. Returns the URL unchanged for a passage without words.
 */
export function withQuote(url: string, passage: string): string {
  const words = passage.replaceAll(/^…\s*|\s*…$/g, '').trim()
  let quote = cutAtWord(words, maxQuoteLength)
  while (encodeURIComponent(quote).length > maxEncodedLength) quote = cutAtWord(quote, Math.floor(quote.length * 0.8))
  return /[\p{L}\p{N}]/u.test(quote) ? `${url}#quote=${encodeURIComponent(quote)}` : url
}

/**
 * The longest prefix of at most `length` UTF-16 units that ends with a word; scripts without spaces are cut anywhere.
 */
function cutAtWord(text: string, length: number): string {
  const wellFormed = text.toWellFormed()
  if (wellFormed.length <= length) return wellFormed
  const part = wellFormed.slice(0, length)
  const end = part.lastIndexOf(' ')
  return (end > length / 2 ? part.slice(0, end) : part).replace(/[\ud800-\udbff]$/, '').trim()
}
