/** A heading that the table of contents refers to. */
export interface Heading {
  title: string
  /** From 1. */
  level: number
}

const indentation = /<blockquote\b[^<>]{0,50}\bheight=/i
const quotation = /<(\/?)blockquote\b[^<>]{0,200}>/gi
/** A block in monospaced letters only. */
const codeBlock =
  /<div>((?:\s*<(?:font|tt|span)\b[^<>]{0,200}>){1,8})((?:(?!<\/?div>)[^]){1,100000}?)((?:<\/(?:font|tt|span)>\s*){1,8})<\/div>/g
/** A paragraph in which all text is in elements of monospaced letters. */
const codeParagraph =
  /<p\b[^<>]{0,200}>((?:\s*(?:<a\b[^<>]{0,200}>(?:<\/a>)?|<tt\b[^<>]{0,200}>[^<]{0,100000}(?:<(?!\/?(?:tt|p|div)\b)[^<]{0,100000}){0,10000}<\/tt>)){1,20000})\s*<\/p>/gi
const lineBreak = /<br\b[^<>]*>(?:<\/br>)?/gi
/** The elements before the first words of a file, and these words. */
const firstBlock =
  /^((?:\s|<\/?(?:div|p|a|html|head|body)\b[^<>]{0,300}>){0,80})((?:(?!<\/?(?:div|p|h[1-6])\b)[^]){1,3000})(?=<\/?(?:div|p)\b)/i

/** True if a text has nested quotations in place of paragraph indents, as converters write for the oldest readers. */
export function isIndented(head: string): boolean {
  return indentation.test(head)
}

/** The HTML with quotations that are only indents removed, and preformatted text marked as such. */
export function withoutIndents(markup: string): string {
  return markup
    .replaceAll(quotation, '<$1div>')
    .replaceAll(codeBlock, (written: string, open: string, code: string) =>
      /<tt\b/i.test(open) ? `<pre>${code.replaceAll(lineBreak, '\n').replace(/^ /, '')}</pre>` : written,
    )
}

/** The HTML with paragraphs of several lines in monospaced letters marked as preformatted text. */
export function withListings(markup: string): string {
  return markup.replaceAll(codeParagraph, (written: string, code: string) => {
    const lines = code.replaceAll(lineBreak, '\n')
    return lines === code ? written : `<pre>${lines.replaceAll(/<\/?tt\b[^<>]*>/gi, '')}</pre>`
  })
}

/**
 * The HTML with its first words as the heading if they equal its title; these files format headings as large letters.
 */
export function withHeading(markup: string, { title, level }: Heading, decode: (letters: string) => string): string {
  const found = firstBlock.exec(markup)
  const [whole = '', before = '', words = ''] = found ?? []
  if (found === null || !isTitle(decode(plainText(words)), title)) return markup
  const inner = words.replaceAll(/<\/?(?:b|font|strong)\b[^<>]*>/gi, '')
  const name = `h${Math.min(6, Math.max(level, levelOfSize(words)))}`
  return `${before}<${name}>${inner}</${name}>${markup.slice(whole.length)}`
}

function plainText(markup: string): string {
  return markup
    .replaceAll(/<[^<>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&amp;', '&')
}

/** True if words equal a title, which may lack the number before it in the text. */
function isTitle(words: string, title: string): boolean {
  const [written, known] = [foldTitle(words), foldTitle(title)]
  return (
    written.endsWith(known) && /^(?:[\p{L}]{0,10}\s?[\d.ivxlc]{1,12}[.:)]?\s)?$/u.test(written.slice(0, -known.length))
  )
}

/** The heading level by font size, 1 to 7. */
function levelOfSize(markup: string): number {
  const size = Number(/<font\b[^<>]{0,100}\bsize="([1-7])"/i.exec(markup)?.[1] ?? 7)
  return size >= 6 ? 1 : 7 - size
}

function foldTitle(title: string): string {
  return title.normalize('NFKC').replaceAll(/\s+/g, ' ').trim().toLowerCase()
}
