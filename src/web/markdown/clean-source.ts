/**
 * Characters that are removed from displayed pages: control characters other than tab and line end, overrides of the
 * writing direction (UAX #9), tag characters, noncharacters and lone surrogates. Soft hyphens, marks and isolates are
 * kept.
 */
const unwanted = /[\u{e0000}-\u{e007f}[\p{Cc}--[\t\n\r]]\u202d\u202e\ufff9-\ufffb\p{Cs}]/gv

/**
 * Removes characters that would disturb reading from the text of a page; line ends become `
 * `.
 */
export function cleanSource(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(unwanted, '')
}
