import { describeFigure, figureIdLength, formatFigureMarker } from '../../../text/figure-markers.ts'
import type { Block } from './blocks.ts'

/**
 * A picture in a file of the book. Its text is known after the picture has been examined; until then a placeholder
 * stands for it.
 */
export interface PictureReference {
  /** The address in the file. */
  href: string
  /** Its alternative text, otherwise the start of its caption; empty if it has neither. */
  caption: string
}

// Control characters are safe as delimiters, because the converter removes them from the file.
const [open, filler, close] = ['\u0002', '\u0001', '\u0003']
// eslint-disable-next-line no-control-regex
const placePattern = /\u0002(\d{1,7})\u0001*\u0003/g
const figureId = '0'.repeat(figureIdLength)

/** The placeholder of a picture by its index. It is as long as the marker of a figure with this caption. */
export function placeOf(index: number, caption: string): string {
  return `${open}${index}`.padEnd(formatFigureMarker({ id: figureId, caption }).length - 1, filler) + close
}

/** A text without picture placeholders. */
export function withoutPlaces(text: string): string {
  return text.replaceAll(placePattern, '')
}

/** Replaces the placeholder of each picture by its text, and drops paragraphs that become empty. */
export async function fillPlaces(
  blocks: readonly Block[],
  pictures: readonly PictureReference[],
  textFor: (picture: PictureReference) => Promise<string>,
): Promise<Block[]> {
  const filled: Block[] = []
  for (const block of blocks) {
    const [head, body] = [await fill(block.head, pictures, textFor), await fill(block.body, pictures, textFor)]
    const isEmptied = block.body !== body && /^(?:#+ ?)?[\s*~]*$/.test(body) && head === ''
    if (!isEmptied || block.firstLinePrefix.trim() !== '') filled.push({ ...block, head, body })
  }
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
