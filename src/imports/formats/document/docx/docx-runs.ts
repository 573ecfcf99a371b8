import { noEmphasis, type DocxStyles, type Emphasis } from './docx-styles.ts'
import type { RunFormat } from '../markup/run-format.ts'
import { decodeSymbol, decodeSymbols } from './symbol-fonts.ts'
import { childNodes, findChild, findDescendant, nodeText, type XmlNode } from '../markup/xml-blocks.ts'
import { pushReversed } from '../markup/push-reversed.ts'

const offValues = new Set(['0', 'false', 'off', 'none'])

/** The value of a property element. */
export const value = (node: XmlNode | undefined): string | undefined => node?.attributes['w:val']
/** True if a toggle property is present and on. */
export const isOn = (node: XmlNode | undefined): boolean => node !== undefined && !offValues.has(value(node) ?? '')

/** Elements that are not part of the text: deleted text, field codes and properties. */
export const leftOut =
  /^(?:w:del|w:moveFrom|w:instrText|w:delText|mc:Fallback|w:sectPr|w:(?:p|r|t|tr|tc|tbl|sdt|sdtEnd|ruby)Pr|w:rt|a:graphic|w:footnoteRef|w:annotationRef)$/

/**
 * The emphasis of a run: from its properties, otherwise from its character style, which toggles what the paragraph
 * style sets (ECMA-376, part 1, 17.7.3).
 */
export function readFormat(properties: XmlNode | undefined, styles: DocxStyles, ofParagraph: Emphasis): RunFormat {
  const style = value(findChild(properties, 'w:rStyle'))
  const inherited = style === undefined ? noEmphasis : styles.emphasis(style)
  const script = value(findChild(properties, 'w:vertAlign'))
  const [bold, italic] = [findChild(properties, 'w:b'), findChild(properties, 'w:i')]
  return {
    bold: bold === undefined ? inherited.bold !== ofParagraph.bold : isOn(bold),
    italic: italic === undefined ? inherited.italic !== ofParagraph.italic : isOn(italic),
    strike: isOn(findChild(properties, 'w:strike')) || isOn(findChild(properties, 'w:dstrike')),
    script: script === 'superscript' ? 'sup' : script === 'subscript' ? 'sub' : null,
    code:
      (style !== undefined && (/verbatim/i.test(style) || styles.kind(style) === 'code')) ||
      styles.isCodeFont(fontOf(properties)),
  }
}

/** The font of a run; empty if it names none. */
function fontOf(properties: XmlNode | undefined): string {
  const { 'w:ascii': ascii, 'w:hAnsi': other } = findChild(properties, 'w:rFonts')?.attributes ?? {}
  return ascii ?? other ?? ''
}

/** The text of an element of a run; null if the element is not text. */
export function textOfPart(node: XmlNode, properties: XmlNode | undefined): string | null {
  const { name, attributes } = node
  if (name === 'w:t') return decodeSymbols(fontOf(properties), nodeText(node))
  if (name === 'w:tab' || name === 'w:ptab') return ' '
  if (name === 'w:br' && /^(?:page|column)$/.test(attributes['w:type'] ?? '')) return ' '
  if (name === 'w:noBreakHyphen') return '\u2011'
  if (name !== 'w:sym') return null
  return decodeSymbol(attributes['w:font'] ?? '', Number.parseInt(attributes['w:char'] ?? '', 16)) ?? ''
}

/** True if all text of a paragraph has a typewriter font, as code listings do. */
export function isCodeParagraph(paragraph: XmlNode, styles: DocxStyles): boolean {
  let hasText = false
  for (const run of childNodes(paragraph)) {
    if (run.name !== 'w:r' || nodeText(run).trim() === '') {
      if (run.name !== 'w:r' && nodeText(run).trim() !== '') return false
      continue
    }
    hasText = true
    if (!styles.isCodeFont(fontOf(findChild(run, 'w:rPr')))) return false
  }
  return hasText
}

/** The pictures of a drawing with its alternative text; `src` is empty for a picture outside the file. */
export function picturesOf(node: XmlNode, pictures: ReadonlyMap<string, string>): { src: string; alt: string }[] {
  const { descr = '', title = '' } = findDescendant(node, 'wp:docPr')?.attributes ?? {}
  const shape = findDescendant(node, 'v:shape')
  const alt = descr || title || (shape?.attributes['alt'] ?? '')
  const ids = [
    ...findAll(node, 'a:blip').map(({ attributes }) => attributes['r:embed']),
    ...findAll(node, 'v:imagedata').map(({ attributes }) => attributes['r:id']),
  ]
  const sources = ids.map((id) => pictures.get(id ?? '') ?? '')
  if (sources.length === 0) return (findDescendant(node, 'wp:docPr') ?? shape) ? [{ src: '', alt }] : []
  return sources.map((src, at) => ({ src, alt: at === 0 ? alt : '' }))
}

/** The contents of the text boxes of a drawing. */
export function textBoxesOf(node: XmlNode): XmlNode[] {
  return findAll(node, 'w:txbxContent')
}

/** The elements of a drawing with that name, without those in its text boxes. */
export function findAll(node: XmlNode, name: string): XmlNode[] {
  const found: XmlNode[] = []
  const waiting = childNodes(node).reverse()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.name === name) found.push(next)
    // Skips the alternative content for older programs.
    if (next.name !== 'mc:Fallback' && next.name !== 'w:txbxContent') pushReversed(waiting, childNodes(next))
  }
  return found
}

/** The text of a code paragraph, with its breaks and tabs. */
export function nodeLines(paragraph: XmlNode): string {
  let text = ''
  const waiting = childNodes(paragraph).reverse()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.name === 'w:t') text += nodeText(next)
    else if (next.name === 'w:br' || next.name === 'w:cr') text += '\n'
    else if (next.name === 'w:tab') text += '\t'
    else if (!leftOut.test(next.name)) pushReversed(waiting, childNodes(next))
  }
  return text
}
