import { attribute, children, type XmlElement } from '../../epub/xml.ts'
import { letteredNumber, listTypeOfNumbers } from '../../list-number.ts'
import type { XmlNode } from '../markup/xml-blocks.ts'

/** How the headings of a level are numbered. */
export interface OdtHeadingLevel {
  /** The type of an ordered list (`listTypeOf`); empty for headings without numbers. */
  format: string
  /** The label of a heading; `%2%` stands for the number of the second level. */
  pattern: string
  /** The number of the first heading. */
  first: number
}

const deepestLevel = 10
const maxPatternLength = 100

/** Reads the chapter numbering of a document (ODF 1.3, part 3, 16.34), which may be missing. */
export function readHeadingLevels(outline: XmlElement | undefined): ReadonlyMap<number, OdtHeadingLevel> {
  return new Map(
    children(outline, 'outline-level-style').map((level) => [Number(attribute(level, 'level')), readLevel(level)]),
  )
}

function readLevel(level: XmlElement): OdtHeadingLevel {
  const format = attribute(level, 'num-format') ?? ''
  const at = Number(attribute(level, 'level')) || 1
  const shown = Math.max(1, Math.min(at, Number(attribute(level, 'display-levels') ?? 1) || 1))
  const places = Array.from({ length: shown }, (_, index) => `%${at - shown + 1 + index}%`)
  const plain = `${attribute(level, 'num-prefix') ?? ''}${places.join('.')}${attribute(level, 'num-suffix') ?? ''}`
  return {
    format: listTypeOfNumbers(format) ?? format,
    // LibreOffice writes the whole label in an attribute of its own.
    pattern: (attribute(level, 'num-list-format') ?? plain).slice(0, maxPatternLength),
    first: Number(attribute(level, 'start-value') ?? 1) || 1,
  }
}

/** Counts the headings of a document. */
export class OdtHeadingNumbers {
  private readonly levels: ReadonlyMap<number, OdtHeadingLevel>
  /** The numbers of the last headings by level. */
  private readonly counts: (number | undefined)[] = []

  constructor(levels: ReadonlyMap<number, OdtHeadingLevel>) {
    this.levels = levels
  }

  /** The label of the next heading, such as `2.1`; empty if it displays nothing. */
  next({ attributes }: XmlNode): string {
    const at = Math.max(1, Math.min(deepestLevel, Number(attributes['text:outline-level'] ?? 1) || 1))
    const level = this.levels.get(at)
    if (level === undefined || level.format === '' || attributes['text:is-list-header'] === 'true') return ''
    const start =
      attributes['text:restart-numbering'] === 'true' ? Number(attributes['text:start-value'] ?? 1) || 1 : null
    this.counts.length = Math.min(this.counts.length, at + 1)
    this.counts[at] = start ?? (this.counts[at] ?? level.first - 1) + 1
    return level.pattern.trim().replaceAll(/%(\d{1,2})%/g, (_, place: string) => this.shown(Number(place)))
  }

  private shown(at: number): string {
    const { format = '', first = 1 } = this.levels.get(at) ?? {}
    const number = this.counts[at] ?? first
    return format === '' ? '' : (letteredNumber(number, format, '%') ?? `${number}`)
  }
}
