import { isCodeFont, isTyped } from '../markup/code-fonts.ts'
import { levelOfHeadingName } from '../markup/heading-names.ts'
import { attribute, child, children, type XmlElement } from '../../epub/xml.ts'

/** The styles of a Word document for paragraphs and runs (ECMA-376, part 1, 17.7). */
export interface DocxStyles {
  /** The level of the heading, from 1; null for styles that are not headings. */
  headingLevel(style: string): number | null
  kind(style: string): 'quote' | 'code' | 'contents' | 'listText' | null
  /** The emphasis of a paragraph or character style, without that of the run itself. */
  emphasis(style: string): Emphasis
  /** False if the document has no hidden text. */
  hasHiddenText: boolean
  /** True if text with a paragraph or character style is hidden. */
  isHidden(style: string): boolean
  /** True if text in this font is code. */
  isCodeFont(font: string): boolean
  /** The list of a paragraph style, whose level may be determined by the list; null if it has none. */
  listOf(style: string): { numId: string; level: number | null } | null
  /** The depth of items with a built-in style of Word, such as `List Bullet 2`, from 0: each has a list of its own. */
  listDepth(style: string): number
}

export interface Emphasis {
  bold: boolean
  italic: boolean
}

export const noEmphasis: Emphasis = { bold: false, italic: false }

interface Style {
  name: string
  basedOn: string | null
  outlineLevel: number | null
  list: { numId: string; level: number | null } | null
  /** Null if the style sets no font, and for the default paragraph style. */
  font: string | null
  bold: boolean | null
  italic: boolean | null
  hidden: boolean | null
}

const maxBases = 20

/** Reads `word/styles.xml`, which may be missing. `document` is the source of the text that uses the styles. */
export function readDocxStyles(styles: XmlElement | undefined, document: string): DocxStyles {
  const known = new Map<string, Style>()
  for (const style of children(child(styles, 'styles'), 'style')) {
    const id = attribute(style, 'styleId')
    if (id !== null) known.set(id, readStyle(style))
  }
  const firstOf = <T>(style: string, find: (style: Style) => T | null): T | null => {
    let next: string | null = style
    for (let hops = 0; next !== null && hops < maxBases; hops++) {
      const found: Style | undefined = known.get(next)
      const value = found === undefined ? null : find(found)
      if (value !== null) return value
      next = found?.basedOn ?? null
    }
    return null
  }
  const isCodeStyle = (style: string): boolean => isCodeFont(firstOf(style, ({ font }) => font) ?? '')
  const isTypedText =
    isTyped(document, {
      named: /<w:rFonts [^>]{0,300}?w:ascii="([^"]{0,100})"/g,
      piece: /<w:t[ >]/g,
      isCode: isCodeFont,
    }) || isTyped(document, { named: /<w:pStyle w:val="([^"]{0,100})"/g, piece: /<w:p[ >]/g, isCode: isCodeStyle })
  const nameOf = (style: string): string => known.get(style)?.name ?? style
  return {
    headingLevel(style) {
      const ofName = nameOf(style)
      if (/^title$/i.test(ofName)) return 1
      const level =
        levelOfHeadingName(ofName) ??
        firstOf(style, ({ name, outlineLevel }) => outlineLevel ?? levelOfHeadingName(name))
      return level === null || level > 9 || level < 1 ? null : level
    },
    kind(style) {
      const name = nameOf(style)
      if (/^toc(?:\s*\d|\s*heading|$)|^table of (?:figures|authorities)$/i.test(name)) return 'contents'
      if (/quot(?:e|ation)|zitat|block text/i.test(name)) return 'quote'
      if (/^list (?:paragraph|continue)/i.test(name)) return 'listText'
      if (!isTypedText && isCodeStyle(style)) return 'code'
      return /\bcode\b|source ?code|preformatted|html preformatted|listing/i.test(name) ? 'code' : null
    },
    isCodeFont: (font) => !isTypedText && isCodeFont(font),
    emphasis: (style) => ({
      bold: firstOf(style, ({ bold }) => bold) ?? false,
      italic: firstOf(style, ({ italic }) => italic) ?? false,
    }),
    hasHiddenText: document.includes('<w:vanish') || known.values().some(({ hidden }) => hidden === true),
    isHidden: (style) => firstOf(style, ({ hidden }) => hidden) ?? false,
    listOf: (style) => firstOf(style, ({ list }) => list),
    listDepth: (style) => firstOf(style, ({ name }) => depthOfListName(name)) ?? 0,
  }
}

function depthOfListName(name: string): number | null {
  const depth = /^list (?:bullet|number) ([2-5])$/i.exec(name)?.[1]
  return depth === undefined ? null : Number(depth) - 1
}

function readStyle(style: XmlElement): Style {
  const paragraph = child(style, 'pPr')
  const outline = Number(attribute(child(paragraph, 'outlineLvl'), 'val') ?? 'NaN')
  const numbering = child(paragraph, 'numPr')
  const numId = attribute(child(numbering, 'numId'), 'val')
  const level = attribute(child(numbering, 'ilvl'), 'val')
  const run = child(style, 'rPr')
  const isUsual = /^(?:1|true)$/.test(attribute(style, 'default') ?? '')
  return {
    font: isUsual ? null : attribute(child(run, 'rFonts'), 'ascii'),
    bold: switchOf(child(run, 'b')),
    italic: switchOf(child(run, 'i')),
    hidden: switchOf(child(run, 'vanish')),
    name: attribute(child(style, 'name'), 'val') ?? '',
    basedOn: attribute(child(style, 'basedOn'), 'val'),
    outlineLevel: Number.isNaN(outline) ? null : outline + 1,
    list: numId === null ? null : { numId, level: level === null ? null : Number(level) },
  }
}

function switchOf(property: XmlElement | undefined): boolean | null {
  return property === undefined ? null : !/^(?:0|false|off)$/.test(attribute(property, 'val') ?? '')
}
