/*
 * HTML tags, entities, comments and reference links in a page. Readers do not see them, so a quotation need not contain them. Search omits
 * the same markup from its passages (`src/search/words/strip-markdown.ts`).
 */

const inlineTags = 'a|abbr|b|cite|code|del|em|font|i|ins|kbd|mark|q|s|small|span|strong|sub|sup|u'
const separatingTags =
  'blockquote|br|caption|center|details|div|figure|figcaption|h[1-6]|hr|img|li|ol|p|pre|summary|table|tbody|td|th|thead|tr|ul'

/** The lengths are limited, so that hostile text takes linear time. */
export const markupPatterns = [
  String.raw`&(?:amp|lt|gt|quot|apos|nbsp);`,
  String.raw`<!--[^\n]{0,1000}?-->`,
  String.raw`<\/?(?:${inlineTags}|${separatingTags})(?:\s[^<>]{0,500})?\/?>`,
  String.raw`(?<![\p{L}\p{N}_\])])!?\[(?=[^[\]\n\p{L}]{0,100}\p{L}[^[\]\n]{0,500}\]\[[^[\]\n]{0,200}\])`,
  String.raw`\]\[[^[\]\n]{0,200}\]`,
]

const entities: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '&amp;': '&',
    '&lt;': '<',
    '&gt;': '>',
    '&quot;': '"',
    '&apos;': "'",
  }),
)
const inlineTag = new RegExp(String.raw`^<\/?(?:${inlineTags})[\s/>]`, 'i')

/** Returns what a reader sees instead of a piece of markup: a character, nothing, or (null) a space. Undefined: not markup. */
export function readMarkup(piece: string): string | null | undefined {
  if (piece.startsWith('&')) return entities.get(piece) ?? null
  if (piece.startsWith('<!--')) return null
  if (piece.length > 1 && piece.startsWith('<')) return inlineTag.test(piece) ? '' : null
  return piece.startsWith('][') ? '' : undefined
}
