/**
 * Characters that have no place in a page that people read: controls other than tab and line end, overrides of the writing
 * direction (UAX #9), tag characters, noncharacters and lone surrogates. Soft hyphens, marks and isolates stay.
 */
const unwanted = /[\u{e0000}-\u{e007f}[\p{Cc}--[\t\n\r]]\u202d\u202e\ufff9-\ufffb\p{Cs}]/gv

/** The text of a page without characters that would disturb its reading; line ends are `\n`. */
export function cleanSource(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(unwanted, '')
}
