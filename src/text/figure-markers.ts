/** A Markdown marker for a figure of a book in the text of a page: `![caption](figure:0123456789abcdef)`. */
export interface FigureMarker {
  /** Identifies the picture by its content; see `isFigureId`. */
  id: string
  /** Its alternative text or caption without Markdown; empty if the book has none. */
  caption: string
}

/** The number of hexadecimal digits of an id. */
export const figureIdLength = 16
const idPattern = /^[0-9a-f]{16}$/
const scheme = 'figure:'

const markerPattern = /!\[((?:[^[\]\\\n]|\\[^\n]){0,1000})\]\(figure:([0-9a-f]{16})\)/g

/** True if a text is a figure id: 16 lower-case hexadecimal digits. */
export function isFigureId(text: string): boolean {
  return idPattern.test(text)
}

/** The figure id in a Markdown link target; null for any other target. */
export function figureIdOf(address: string): string | null {
  const id = address.startsWith(scheme) ? address.slice(scheme.length) : ''
  return isFigureId(id) ? id : null
}

/** Characters of a caption that Markdown or its tables would read as markup. */
const markup = /[\\`*_[\]<>&~|$^!]/g
const maxCaptionLength = 400

/** A caption in its stored form: one line of at most 400 UTF-16 units. */
export function clipCaption(text: string, maxLength: number = maxCaptionLength): string {
  const line = text.toWellFormed().replaceAll(/\s+/g, ' ').trim()
  if (line.length <= maxLength) return line
  const cut = line.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')
  const space = cut.lastIndexOf(' ')
  return `${(space > maxLength / 2 ? cut.slice(0, space) : cut).trimEnd()}…`
}

/** The Markdown of a marker. */
export function formatFigureMarker({ id, caption }: FigureMarker): string {
  return `![${clipCaption(caption).replaceAll(markup, '\\$&')}](${scheme}${id})`
}

/** The markers of a text, in order. */
export function findFigureMarkers(text: string): FigureMarker[] {
  if (!text.includes('](figure:')) return []
  return Array.from(text.matchAll(markerPattern), ([, caption = '', id = '']) => ({ id, caption: unescape(caption) }))
}

/** Replaces each marker in a text; returns the same text if there is none. */
export function replaceFigureMarkers(text: string, replace: (marker: FigureMarker, written: string) => string): string {
  if (!text.includes('](figure:')) return text
  return text.replaceAll(markerPattern, (written, caption: string, id: string) =>
    replace({ id, caption: unescape(caption) }, written),
  )
}

/** Removes the markers from a text, leaving the words. */
export function withoutFigureMarkers(text: string): string {
  return replaceFigureMarkers(text, () => '')
}

/** True if a text is empty or contains nothing but figures without captions. */
export function isFiguresOnly(text: string): boolean {
  return withoutFigureMarkers(text).trim() === '' && findFigureMarkers(text).every(({ caption }) => caption === '')
}

/** The text in place of a figure where no picture can be shown: its caption, or nothing. */
export function describeFigure(caption: string): string {
  return caption === '' ? '' : `[Image: ${caption.replaceAll(markup, '\\$&')}]`
}

function unescape(caption: string): string {
  return caption.replaceAll(/\\([^\n])/g, '$1')
}
