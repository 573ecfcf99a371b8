import { listTypeOfNumbers } from '../../list-number.ts'
import { attribute, child, children, type XmlElement } from '../../epub/xml.ts'
import { isCodeFont, isTyped } from '../markup/code-fonts.ts'
import { type OdtHeadingLevel, readHeadingLevels } from './odt-headings.ts'
import type { RunFormat } from '../markup/run-format.ts'

/** The styles of an OpenDocument for paragraphs, spans and lists. */
export interface OdtStyles {
  isTitle(style: string): boolean
  isQuote(style: string): boolean
  isCode(style: string): boolean
  /** True if paragraphs or spans of a style are not displayed. */
  isHidden(style: string): boolean
  /** How headings are numbered, by level from 1. */
  headingLevels: ReadonlyMap<number, OdtHeadingLevel>
  /** True if paragraphs of a style belong to another list than the headings, or to none. */
  hasOwnList(style: string): boolean
  /** A level of a list, from 1. */
  listLevel(listStyle: string, level: number): OdtListLevel
  /** The format of a span inside another format. */
  formatOf(style: string, outer: RunFormat): RunFormat
}

/** How the items of a level of a list are labelled. */
export interface OdtListLevel {
  isNumbered: boolean
  /** True if its items have no label. */
  isBlank: boolean
  /** The number of its first item. */
  first: number
  /** The type of an HTML list with letters or Roman numerals; null for other lists. */
  type: string | null
  /** The label, with `%` as the placeholder for the number. */
  pattern: string
}

const bulleted: OdtListLevel = { isNumbered: false, isBlank: false, first: 1, type: null, pattern: '%.' }

interface Style {
  parent: string | null
  /** The name of its list; empty for none; null for that of its parent. */
  list: string | null
  text: XmlElement | undefined
}

const maxParents = 20
/** The name of the list of the headings. */
const outlineList = 'Outline'
const maxLevels = 10

/**
 * Reads the named and automatic styles of `styles.xml` and of the head of `content.xml`; `text` is the source of the
 * latter.
 */
export function readOdtStyles(roots: readonly (XmlElement | undefined)[], text: string): OdtStyles {
  const styles = new Map<string, Style>()
  const levels = new Map<string, OdtListLevel>()
  for (const group of roots.flatMap((root) => [child(root, 'styles'), child(root, 'automatic-styles')])) {
    for (const style of children(group, 'style')) {
      const parent = attribute(style, 'parent-style-name')
      const list = style.attributes['list-style-name']?.trim() ?? null
      styles.set(attribute(style, 'name') ?? '', { parent, list, text: child(style, 'text-properties') })
    }
    for (const list of children(group, 'list-style')) {
      for (const level of list.content)
        if (typeof level === 'object')
          levels.set(`${attribute(list, 'name')} ${attribute(level, 'level')}`, readListLevel(level))
    }
  }
  const isNamed = (style: string, pattern: RegExp): boolean => chainOf(style, styles).some((name) => pattern.test(name))
  const isCode = readCodeFonts(roots, styles, text)
  return {
    isTitle: (style) => isNamed(style, /^Title$/),
    isQuote: (style) => isNamed(style, /quot(?:e|ation)|zitat|block_20_text/i),
    isCode: (style) => isNamed(style, /^(?:Preformatted(?:_20)?_Text|Source(?:_20)?_Code|Code)$/) || isCode(style),
    isHidden: (style) => {
      const shown = chainOf(style, styles).map((name) => attribute(styles.get(name)?.text, 'display'))
      return shown.find((display) => display !== null) === 'none'
    },
    headingLevels: readHeadingLevels(roots.map((root) => child(child(root, 'styles'), 'outline-style')).find(Boolean)),
    hasOwnList: (style) => {
      const list = chainOf(style, styles).map((name) => styles.get(name)?.list ?? null)
      return (list.find((name) => name !== null) ?? outlineList) !== outlineList
    },
    listLevel: (style, level) => {
      // A level without a definition is like the one above it.
      for (let at = Math.min(level, maxLevels); at > 0; at--) {
        const found = levels.get(`${style} ${at}`)
        if (found !== undefined) return found
      }
      return bulleted
    },
    formatOf: (style, outer) => ({
      ...formatOf(styles.get(style)?.text, outer, (pattern) => isNamed(style, pattern)),
      code: outer.code || isNamed(style, /^(?:Source(?:_20)?_Text|Teletype)$/) || isCode(style),
    }),
  }
}

function readListLevel(level: XmlElement): OdtListLevel {
  if (level.name === 'list-level-style-image') return bulleted
  if (level.name !== 'list-level-style-number')
    return { ...bulleted, isBlank: (attribute(level, 'bullet-char') ?? '').trim() === '' }
  const format = attribute(level, 'num-format') ?? '1'
  return {
    isNumbered: true,
    isBlank: format === '',
    first: Number(attribute(level, 'start-value') ?? 1) || 1,
    type: listTypeOfNumbers(format),
    pattern: `${attribute(level, 'num-prefix') ?? ''}%${attribute(level, 'num-suffix') ?? ''}`,
  }
}

/** A style and its parent styles. */
function chainOf(style: string, styles: ReadonlyMap<string, Style>): string[] {
  const chain: string[] = []
  for (let next: string | null = style; next !== null && chain.length < maxParents;) {
    chain.push(next)
    next = styles.get(next)?.parent ?? null
  }
  return chain
}

/** The styles with a typewriter font; none if the whole text is a typescript. */
function readCodeFonts(
  roots: readonly (XmlElement | undefined)[],
  styles: ReadonlyMap<string, Style>,
  text: string,
): (style: string) => boolean {
  const families = new Map<string, string>()
  for (const face of roots.flatMap((root) => children(child(root, 'font-face-decls'), 'font-face')))
    families.set(attribute(face, 'name') ?? '', attribute(face, 'font-family') ?? '')
  const isCode = (style: string): boolean => {
    for (const name of chainOf(style, styles)) {
      // The default paragraph style, on which others are based.
      if (name === 'Standard') return false
      const properties = styles.get(name)?.text
      const font = attribute(properties, 'font-name') ?? attribute(properties, 'font-family')
      if (font !== null) return isCodeFont(families.get(font) ?? font)
    }
    return false
  }
  const named = /<text:(?:p|span) [^>]{0,300}?text:style-name="([^"]{0,100})"/g
  return isTyped(text, { named, piece: /<text:p[ >]/g, isCode }) ? () => false : isCode
}

function formatOf(
  text: XmlElement | undefined,
  outer: RunFormat,
  isNamed: (pattern: RegExp) => boolean,
): Omit<RunFormat, 'code'> {
  const position = attribute(text, 'text-position') ?? ''
  const weight = attribute(text, 'font-weight')
  const slant = attribute(text, 'font-style')
  const line = attribute(text, 'text-line-through-style')
  return {
    bold: weight === null ? outer.bold || isNamed(/^Strong_20_Emphasis$/) : weight === 'bold' || Number(weight) >= 600,
    italic: slant === null ? outer.italic || isNamed(/^Emphasis$/) : slant !== 'normal',
    strike: line === null ? outer.strike : line !== 'none',
    script:
      position.startsWith('super') || /^[1-9]/.test(position)
        ? 'sup'
        : /^(?:sub|-)/.test(position)
          ? 'sub'
          : outer.script,
  }
}
