/** What no XML 1.0 document may hold, not even escaped. */
// eslint-disable-next-line no-control-regex
const forbidden = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

/** A text without the characters that XML forbids: they are no part of any writing. */
export function toXmlCharacters(text: string): string {
  return text.toWellFormed().replace(forbidden, '')
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** A text as the content of an XML element or of a quoted attribute. */
export function escapeXml(text: string): string {
  return toXmlCharacters(text).replace(/[&<>"']/g, (mark) => entities[mark] as string)
}
