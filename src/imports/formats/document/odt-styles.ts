import { attribute, child, children, type XmlElement } from '../epub/xml.ts'
import type { RunFormat } from './run-format.ts'

/** What the styles of an OpenDocument say of paragraphs, spans and lists. */
export interface OdtStyles {
  isTitle(style: string): boolean
  isQuote(style: string): boolean
  isCode(style: string): boolean
  isNumbered(listStyle: string): boolean
  /** The format of a span inside of another one. */
  formatOf(style: string, outer: RunFormat): RunFormat
}

interface Style {
  parent: string | null
  text: XmlElement | undefined
}

const maxParents = 20

/** Reads the named and the automatic styles of `styles.xml` and of the head of `content.xml`. */
export function readOdtStyles(roots: readonly (XmlElement | undefined)[]): OdtStyles {
  const styles = new Map<string, Style>()
  const numbered = new Set<string>()
  for (const group of roots.flatMap((root) => [child(root, 'styles'), child(root, 'automatic-styles')])) {
    for (const style of children(group, 'style')) {
      const parent = attribute(style, 'parent-style-name')
      styles.set(attribute(style, 'name') ?? '', { parent, text: child(style, 'text-properties') })
    }
    for (const list of children(group, 'list-style')) {
      const first = list.content.find((node) => typeof node === 'object')
      if (first?.name === 'list-level-style-number') numbered.add(attribute(list, 'name') ?? '')
    }
  }
  const isNamed = (style: string, pattern: RegExp): boolean => {
    let next: string | null = style
    for (let hops = 0; next !== null && hops < maxParents; hops++) {
      if (pattern.test(next)) return true
      next = styles.get(next)?.parent ?? null
    }
    return false
  }
  return {
    isTitle: (style) => isNamed(style, /^Title$/),
    isQuote: (style) => isNamed(style, /^Quotations?$/),
    isCode: (style) => isNamed(style, /^(?:Preformatted(?:_20)?_Text|Source(?:_20)?_Code|Code)$/),
    isNumbered: (style) => numbered.has(style),
    formatOf(style, outer) {
      const text = styles.get(style)?.text
      const position = attribute(text, 'text-position') ?? ''
      const weight = attribute(text, 'font-weight')
      const slant = attribute(text, 'font-style')
      const line = attribute(text, 'text-line-through-style')
      return {
        bold:
          weight === null
            ? outer.bold || isNamed(style, /^Strong_20_Emphasis$/)
            : weight === 'bold' || Number(weight) >= 600,
        italic: slant === null ? outer.italic || isNamed(style, /^Emphasis$/) : slant !== 'normal',
        strike: line === null ? outer.strike : line !== 'none',
        script:
          position.startsWith('super') || /^[1-9]/.test(position)
            ? 'sup'
            : /^(?:sub|-)/.test(position)
              ? 'sub'
              : outer.script,
        code: outer.code || isNamed(style, /^(?:Source(?:_20)?_Text|Teletype)$/),
      }
    },
  }
}
