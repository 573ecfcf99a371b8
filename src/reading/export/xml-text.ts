/** Characters that XML 1.0 forbids, even as character references. */
// eslint-disable-next-line no-control-regex
const forbidden = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

/** Removes the characters that XML 1.0 forbids. */
export function toXmlCharacters(text: string): string {
  return text.toWellFormed().replace(forbidden, '')
}

const entities: ReadonlyMap<string, string> = new Map(
  Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }),
)

/** Escapes a text for the content of an XML element or for a quoted attribute. */
export function escapeXml(text: string): string {
  return toXmlCharacters(text).replace(/[&<>"']/g, (mark) => entities.get(mark) as string)
}
