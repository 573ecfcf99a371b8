import { clipCaption } from '../../../text/figure-markers.ts'
import type { Attributes, Conversion, Leave, OpenFigure } from './conversion.ts'
import { placeOf } from './picture-places.ts'

/** Maximum length of a caption that is repeated although the text contains it as well. */
const maxRepeatedCaption = 120
const generic = /^(?:image|picture|figure|photo|illustration|img|pic|\S+\.(?:jpe?g|png|gif|svg|webp|tiff?|bmp))$/i

/** The alternative text of a picture, in any script; empty if it is meaningless, such as a file name. */
function alternativeText(alt: string | undefined): string {
  const text = clipCaption(alt ?? '')
  return /[\p{L}\p{N}]/u.test(text) && !generic.test(text) && !/^cover$/i.test(text) ? text : ''
}

export function enterPicture(converter: Conversion, attributes: Attributes): Leave {
  converter.pictureCount++
  const caption = alternativeText(attributes['alt'] ?? attributes['aria-label'])
  const href = (attributes['src'] ?? attributes['href'] ?? attributes['xlink:href'] ?? '').trim()
  const { writer } = converter
  if (!converter.options.figures || href === '' || writer.inline.inCode) {
    if (caption !== '') writer.text(`[Image: ${caption}]`)
    return null
  }
  const index = converter.pictures.push({ href, caption }) - 1
  writer.text(placeOf(index, caption))
  return null
}

export function enterFigure(converter: Conversion): Leave {
  const outer = converter.figure
  const figure: OpenFigure = { firstPicture: converter.pictures.length, caption: '', inCaption: false }
  converter.figure = figure
  converter.writer.flush()
  return () => {
    converter.writer.flush()
    converter.figure = outer
    const caption = clipCaption(figure.caption, maxRepeatedCaption)
    for (const picture of converter.pictures.slice(figure.firstPicture)) picture.caption ||= caption
  }
}

export function enterCaption(converter: Conversion): Leave {
  const { figure } = converter
  converter.writer.flush()
  if (figure) figure.inCaption = true
  return () => {
    converter.writer.flush()
    if (figure) figure.inCaption = false
  }
}

/** Adds text to the caption of the open figure, if one is being read. */
export function captureCaption(figure: OpenFigure | null, text: string): void {
  if (figure?.inCaption && figure.caption.length <= 2 * maxRepeatedCaption) figure.caption += text
}
