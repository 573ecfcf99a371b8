import { attribute, child, children, type XmlElement } from '../epub/xml.ts'

/** What the styles of a Word document say of paragraphs and lists (ECMA-376, part 1, 17.7 and 17.9). */
export interface DocxStyles {
  /** The level of the heading, from 1; null for other paragraphs. */
  headingLevel(style: string): number | null
  kind(style: string): 'quote' | 'code' | 'contents' | null
  /** The list of paragraphs of a style; null for none. */
  listOf(style: string): { numId: string; level: number } | null
  /** How a level of a list is numbered: `bullet`, `decimal`, `none` and others. */
  numberFormat(numId: string, level: number): string
}

interface Style {
  name: string
  basedOn: string | null
  outlineLevel: number | null
  list: { numId: string; level: number } | null
}

const maxBases = 20

/** Reads `word/styles.xml` and `word/numbering.xml`; either may be missing. */
export function readDocxStyles(styles: XmlElement | undefined, numbering: XmlElement | undefined): DocxStyles {
  const known = new Map<string, Style>()
  for (const style of children(child(styles, 'styles'), 'style')) {
    const id = attribute(style, 'styleId')
    if (id !== null) known.set(id, readStyle(style))
  }
  const formats = readNumberFormats(child(numbering, 'numbering'))
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
  const nameOf = (style: string): string => known.get(style)?.name ?? style
  return {
    headingLevel(style) {
      const name = nameOf(style)
      if (/^title$/i.test(name)) return 1
      const named = /^(?:heading|überschrift|titre|título|titolo|kop|заголовок)\s*(\d)$/i.exec(name)?.[1]
      const level = named === undefined ? firstOf(style, ({ outlineLevel }) => outlineLevel) : Number(named)
      return level === null || level > 9 || level < 1 ? null : level
    },
    kind(style) {
      const name = nameOf(style)
      if (/^toc(?:\s*\d|\s*heading|$)|^table of (?:figures|authorities)$/i.test(name)) return 'contents'
      if (/quot(?:e|ation)|zitat|block text/i.test(name)) return 'quote'
      return /\bcode\b|source ?code|preformatted|html preformatted|listing/i.test(name) ? 'code' : null
    },
    listOf: (style) => firstOf(style, ({ list }) => list),
    numberFormat: (numId, level) => formats.get(`${numId} ${level}`) ?? 'bullet',
  }
}

function readStyle(style: XmlElement): Style {
  const paragraph = child(style, 'pPr')
  const outline = Number(attribute(child(paragraph, 'outlineLvl'), 'val') ?? 'NaN')
  const numbering = child(paragraph, 'numPr')
  const numId = attribute(child(numbering, 'numId'), 'val')
  return {
    name: attribute(child(style, 'name'), 'val') ?? '',
    basedOn: attribute(child(style, 'basedOn'), 'val'),
    outlineLevel: Number.isNaN(outline) ? null : outline + 1,
    list: numId === null ? null : { numId, level: Number(attribute(child(numbering, 'ilvl'), 'val') ?? 0) },
  }
}

function readNumberFormats(numbering: XmlElement | undefined): Map<string, string> {
  const abstract = new Map<string, Map<number, string>>()
  for (const definition of children(numbering, 'abstractNum')) {
    const levels = children(definition, 'lvl').map(
      (level) =>
        [Number(attribute(level, 'ilvl') ?? 0), attribute(child(level, 'numFmt'), 'val') ?? 'decimal'] as const,
    )
    abstract.set(attribute(definition, 'abstractNumId') ?? '', new Map(levels))
  }
  const formats = new Map<string, string>()
  for (const list of children(numbering, 'num')) {
    const numId = attribute(list, 'numId') ?? ''
    const levels = abstract.get(attribute(child(list, 'abstractNumId'), 'val') ?? '')
    for (const [level, format] of levels ?? []) formats.set(`${numId} ${level}`, format)
  }
  return formats
}
