import { formatNumber } from '../../list-number.ts'
import { attribute, child, children, type XmlElement } from '../../epub/xml.ts'

/** A level of a list of a Word document (ECMA-376, part 1, 17.9.6). */
export interface DocxLevel {
  /** `bullet`, `decimal` and others; `none` if it displays nothing. */
  format: string
  /** The label of a paragraph; `%2` stands for the number of the second level. */
  text: string
  /** The number of its first paragraph. */
  start: number
  /** The style whose paragraphs have this level; null if there is none. */
  style: string | null
}

/** The contents of `word/numbering.xml`. */
export interface DocxNumbering {
  level(numId: string, level: number): DocxLevel | undefined
  /** The list level of paragraphs with a style; 0 if the list names none. */
  levelOfStyle(numId: string, style: string): number
  /** The counter of a list; lists with the same counter continue each other's numbers. */
  counterOf(numId: string): string
}

/** Reads `word/numbering.xml`, which may be missing. */
export function readDocxNumbering(file: XmlElement | undefined): DocxNumbering {
  const numbering = child(file, 'numbering')
  const abstract = new Map<string, Map<number, DocxLevel>>()
  for (const definition of children(numbering, 'abstractNum'))
    abstract.set(attribute(definition, 'abstractNumId') ?? '', readLevels(children(definition, 'lvl')))
  const lists = new Map<string, { levels: ReadonlyMap<number, DocxLevel>; counter: string }>()
  for (const list of children(numbering, 'num')) {
    const id = attribute(list, 'numId') ?? ''
    const counter = attribute(child(list, 'abstractNumId'), 'val') ?? ''
    const levels = new Map(abstract.get(counter))
    const overrides = children(list, 'lvlOverride')
    for (const override of overrides) {
      const at = Number(attribute(override, 'ilvl') ?? 0)
      const level = readLevels(children(override, 'lvl')).get(at) ?? levels.get(at)
      const start = numberOf(child(override, 'startOverride'))
      if (level !== undefined) levels.set(at, { ...level, start: start ?? level.start })
    }
    lists.set(id, { levels, counter: overrides.length > 0 ? `own ${id}` : counter })
  }
  return {
    level: (numId, level) => lists.get(numId)?.levels.get(level),
    levelOfStyle: (numId, style) =>
      [...(lists.get(numId)?.levels ?? [])].find(([, level]) => level.style === style)?.[0] ?? 0,
    counterOf: (numId) => lists.get(numId)?.counter ?? numId,
  }
}

function readLevels(levels: readonly XmlElement[]): Map<number, DocxLevel> {
  return new Map(levels.map((level) => [Number(attribute(level, 'ilvl') ?? 0), readLevel(level)]))
}

function readLevel(level: XmlElement): DocxLevel {
  const sign = child(level, 'lvlText')
  const text = attribute(sign, 'val')?.trim() ?? ''
  const format = attribute(child(level, 'numFmt'), 'val') ?? 'decimal'
  return {
    // Word gives continuation paragraphs of an item a blank bullet.
    format: sign !== undefined && text === '' ? 'none' : format,
    text,
    start: numberOf(child(level, 'start')) ?? 1,
    style: attribute(child(level, 'pStyle'), 'val'),
  }
}

function numberOf(element: XmlElement | undefined): number | null {
  const number = Number(attribute(element, 'val') ?? Number.NaN)
  return Number.isSafeInteger(number) && number >= 0 ? number : null
}

const deepestLevel = 8

/** Counts headings as Word numbers them. */
export class HeadingNumbers {
  private readonly numbering: DocxNumbering
  /** The numbers of the levels of each list. */
  private readonly counts = new Map<string, (number | undefined)[]>()

  constructor(numbering: DocxNumbering) {
    this.numbering = numbering
  }

  /** The label of the next heading of a list and level, such as `2.1`; empty if it displays nothing. */
  next(numId: string, level: number): string {
    const at = Math.min(Math.max(level, 0), deepestLevel)
    const definition = this.numbering.level(numId, at)
    if (definition === undefined || definition.format === 'bullet') return ''
    const counter = this.numbering.counterOf(numId)
    const counts = this.counts.get(counter) ?? []
    this.counts.set(counter, counts)
    counts.length = Math.min(counts.length, at + 1)
    counts[at] = (counts[at] ?? definition.start - 1) + 1
    if (definition.format === 'none') return ''
    return definition.text.replaceAll(/%([1-9])/g, (_, place: string) => {
      const shown = this.numbering.level(numId, Number(place) - 1)
      return shown === undefined ? '' : formatNumber(counts[Number(place) - 1] ?? shown.start, shown.format)
    })
  }
}
