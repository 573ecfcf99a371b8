import { clipCaption, describeFigure } from '../../../text/figure-markers.ts'
import type { Attributes, Conversion, Leave } from './conversion.ts'
import type { Block } from './blocks.ts'

/** A picture in a file of the book. Its text is known when the picture has been looked at; until then a place is held for it. */
export interface PictureReference {
  /** The address as the file has it. */
  href: string
  /** Its alternative text, else the beginning of its caption; empty if it has neither. */
  caption: string
}

/** A `figure` element whose caption is being read. */
export interface OpenFigure {
  /** The first picture in it. */
  firstPicture: number
  caption: string
  inCaption: boolean
}

/** A caption that stands in the text as well is not repeated in full. */
const maxRepeatedCaption = 120
const generic = /^(?:image|picture|figure|photo|illustration|img|pic|\S+\.(?:jpe?g|png|gif|svg|webp|tiff?|bmp))$/i

/** The alternative text of a picture, in any script; empty for one that says nothing, such as a file name. */
export function alternativeText(alt: string | undefined): string {
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
  writer.text(`${open}${index}${close}`)
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

/** Adds text to the caption of the open figure, if it is read. */
export function captureCaption(figure: OpenFigure | null, text: string): void {
  if (figure?.inCaption && figure.caption.length <= 2 * maxRepeatedCaption) figure.caption += text
}

// Control characters never come from a file: the converter removes them.
const [open, close] = ['\u0002', '\u0003']
// eslint-disable-next-line no-control-regex
const placePattern = /\u0002(\d{1,7})\u0003/g

/** A text without the places of pictures. */
export function withoutPlaces(text: string): string {
  return text.replaceAll(placePattern, '')
}

/** Writes the text of each picture into its place, and drops paragraphs that had nothing else and are empty now. */
export async function fillPlaces(
  blocks: readonly Block[],
  pictures: readonly PictureReference[],
  textFor: (picture: PictureReference) => Promise<string>,
): Promise<Block[]> {
  const filled: Block[] = []
  let anchors: Block['anchors'] = []
  for (const block of blocks) {
    const [head, body] = [await fill(block.head, pictures, textFor), await fill(block.body, pictures, textFor)]
    const isGone = block.body !== body && /^(?:#+ ?)?[\s*~]*$/.test(body) && head === ''
    if (isGone && block.firstLinePrefix.trim() === '') {
      anchors = anchors.concat(block.anchors.map((anchor) => ({ ...anchor, offset: 0 })))
      continue
    }
    filled.push({ ...block, head, body, anchors: anchors.concat(block.anchors) })
    anchors = []
  }
  filled.at(-1)?.anchors.push(...anchors)
  return filled
}

async function fill(
  text: string,
  pictures: readonly PictureReference[],
  textFor: (picture: PictureReference) => Promise<string>,
): Promise<string> {
  if (!text.includes(open)) return text
  let filled = ''
  let end = 0
  for (const found of text.matchAll(placePattern)) {
    const picture = pictures[Number(found[1])]
    filled += text.slice(end, found.index) + (picture ? await textFor(picture) : '')
    end = found.index + found[0].length
  }
  return filled + text.slice(end)
}

/** The text of a picture that is not kept. */
export async function describePicture({ caption }: PictureReference): Promise<string> {
  return describeFigure(caption)
}
