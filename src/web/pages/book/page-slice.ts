/**
 * Maximum length of the stored text of a page that is shown at once, UTF-16 code units; a longer page continues at
 * another URL.
 */
const maxCharactersShown = 200_000

/** A part of a page. */
export interface PageSlice {
  content: string
  /** Offset at which the page continues, in UTF-16 code units; null at its end. */
  nextOffset: number | null
}

/** A part of a page, cut after a line break if there is one. */
export function slicePage(text: string, from: string | null): PageSlice {
  const start = Math.min(text.length, Number(/^\d{1,9}$/.exec(from ?? '')?.[0] ?? 0))
  if (text.length - start <= maxCharactersShown) return { content: text.slice(start), nextOffset: null }
  const part = text.slice(start, start + maxCharactersShown)
  const content = part.slice(0, part.lastIndexOf('\n') + 1) || part.slice(0, -1)
  return { content, nextOffset: start + content.length }
}
