import { countCharacters } from '../characters/count-characters.ts'
import { noteNumber } from './build-lines.ts'
import { artifact, type PageText, type StructureElement, type TextRun } from './pdf-file.ts'

/** A part of a tagged page, with its text in reading order. */
export type StructuredPart =
  /** Text without a definite type. Its blocks are recognised by its layout. */
  | { kind: 'region'; runs: TextRun[] }
  | { kind: 'paragraph' | 'note'; runs: TextRun[] }
  | { kind: 'heading'; level: number; runs: TextRun[] }
  /** A list item with its label, such as a bullet, which is empty if it is drawn or in the text. Depths count from 0. */
  | { kind: 'item'; depth: number; label: TextRun[]; hasLabel: boolean; runs: TextRun[] }
  | { kind: 'table'; rows: StructuredCell[][] }

export interface StructuredCell {
  runs: TextRun[]
  /** The number of columns that it covers. */
  columns: number
}

/** Types whose text is one block. */
const paragraphTypes = new Set(['P', 'Caption', 'Note', 'FENote', 'BibEntry'])
const noteTypes = new Set(['Note', 'FENote'])
/** Types that only occur within a line of text. Chromium wraps all text in `NonStruct`. */
const inlineTypes = new Set(
  'Span Link Em Strong Code Quote Reference Annot Sub NonStruct Lbl Ruby RB RT RP Warichu WT WP Formula'.split(' '),
)
/** Types that a cell of a Markdown table cannot contain. */
const blocksInCells = ['L', 'Table', 'H', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6']
const rowGroups = new Set(['THead', 'TBody', 'TFoot'])
const heading = /^(?:H([1-6])?|Title)$/
/** Leaders between an entry of contents and its page number, which Typst marks as part of the page layout. */
const leaders = /^[.·…\s]{4,}$/
const bullet = /^[^\p{L}\p{N}]$/u
const maxListDepth = 5
/** Maximum number of cells of a table, with those that cells over several columns cover. */
const maxCells = 10_000
/** Maximum share of text outside of the structure, relative to that in it. */
const maxOutside = 0.3
/** Up to how much of the page layout is between the lines of the structured text, in characters and relative to it. */
const [minBetween, maxBetween] = [100, 0.05]
/** The distance above and below the structured text from which other text is a running head or foot, in ems. */
const minDistance = 0.5

/** The parts of a tagged page, and the runs outside of the structured text, such as running heads. */
export interface StructuredPage {
  parts: StructuredPart[]
  outside: TextRun[]
  /** The y of the top of the structured text. */
  top: number
}

/**
 * The parts of a page according to its logical structure (ISO 32000-2, 14.7 and 14.8). Null if the page has none, or if
 * the structure omits some of its text.
 */
export function readStructuredPage(page: PageText): StructuredPage | null {
  if (!page.structure) return null
  const byMcid = new Map<number, TextRun[]>()
  let last: TextRun | undefined
  for (const run of page.runs) {
    const isLeader = run.mcid === artifact && last?.y === run.y && leaders.test(run.text)
    const mcid = isLeader ? last?.mcid : run.mcid
    if (mcid === undefined || mcid === artifact) continue
    const runs = byMcid.get(mcid)
    if (runs) runs.push(run)
    else byMcid.set(mcid, [run])
    if (!isLeader) last = run
  }
  const collector = new PartCollector(byMcid)
  collector.addAll(page.structure)
  const used = collector.used
  const others = page.runs.filter((run) => !used.has(run) && run.rotation === 0 && !run.slanted)
  const outside = outsideOf(used, others)
  return outside && { parts: collector.parts, ...outside }
}

/**
 * The runs above and below the structured text. Null if they are too many, or if there is other text between the lines
 * of the structured text. Parts of the page layout and drawn bullets between them are left out, unless they are a larger
 * part of the page: forms mark the names of their fields so.
 */
function outsideOf(used: ReadonlySet<TextRun>, others: readonly TextRun[]): Omit<StructuredPage, 'parts'> | null {
  let [top, bottom, length, largest] = [Infinity, -Infinity, 0, 0]
  for (const { y, size, text, rotation, slanted } of used) {
    if (rotation !== 0 || slanted) return null
    largest = Math.max(largest, size)
    top = Math.min(top, y - size * minDistance)
    bottom = Math.max(bottom, y + size * minDistance)
    length += text.length
  }
  const outside: TextRun[] = []
  const between: TextRun[] = []
  for (const run of others) {
    if (run.y < top || run.y > bottom) outside.push(run)
    else if (run.mcid !== artifact && !bullet.test(run.text)) return null
    // A watermark is larger than the text.
    else if (run.size <= largest) between.push(run)
  }
  if (countCharacters(between) > Math.max(minBetween, length * maxBetween)) return null
  return countCharacters(others) > length * maxOutside ? null : { outside, top }
}

class PartCollector {
  readonly parts: StructuredPart[] = []
  readonly used = new Set<TextRun>()
  readonly #byMcid: ReadonlyMap<number, TextRun[]>
  readonly #isBlock = new Map<StructureElement, boolean>()

  constructor(byMcid: ReadonlyMap<number, TextRun[]>) {
    this.#byMcid = byMcid
  }

  /** Adds the parts of elements and marked content. Adjacent inline content is one region. */
  addAll(kids: readonly (StructureElement | number)[], depth = 0): void {
    let inline: (StructureElement | number)[] = []
    const flush = (): void => {
      const runs = this.#runsOf(inline)
      if (runs.length > 0) this.parts.push({ kind: 'region', runs })
      inline = []
    }
    for (const kid of kids) {
      if (this.#isInline(kid)) inline.push(kid)
      else {
        flush()
        this.#add(kid as StructureElement, depth)
      }
    }
    flush()
  }

  #add(element: StructureElement, depth: number): void {
    const { type, kids } = element
    const level = heading.exec(type)
    const at = this.parts.length
    if (level || paragraphTypes.has(type)) {
      const runs = this.#runsOf(kids.filter((kid) => this.#isInline(kid)))
      if (runs.length > 0 && level) this.parts.push({ kind: 'heading', level: Number(level[1] ?? 1), runs })
      else if (runs.length > 0) this.parts.push({ kind: 'paragraph', runs })
      this.addAll(
        kids.filter((kid) => !this.#isInline(kid)),
        depth,
      )
      const first = this.parts[at]
      if (noteTypes.has(type) && first?.kind === 'paragraph') first.kind = 'note'
    } else if (type === 'L') this.#addList(element, depth)
    else if (type === 'Table') this.#addTable(element, depth)
    else if (type === 'TOC' || type === 'Code' || !kids.some((kid) => !this.#isInline(kid))) {
      const runs = this.#runsOf(kids)
      if (runs.length > 0) this.parts.push({ kind: 'region', runs })
    } else this.addAll(kids, depth)
  }

  #addList({ kids }: StructureElement, depth: number): void {
    for (const item of kids) {
      if (typeof item === 'number' || item.type !== 'LI') {
        this.addAll([item], depth + 1)
        continue
      }
      const body = item.kids.flatMap((kid) => (typeof kid !== 'number' && kid.type === 'LBody' ? kid.kids : [kid]))
      const labels = body.filter(isLabel)
      const content = body.filter((kid) => !isLabel(kid))
      const label = this.#runsOf(labels)
      const hasLabel = labels.length > 0
      const first = content.findIndex((kid) => !this.#isInline(kid))
      const lead = first < 0 ? content : content.slice(0, first)
      let rest = first < 0 ? [] : content.slice(first)
      let runs = this.#runsOf(lead)
      const [paragraph] = rest
      if (runs.length === 0 && typeof paragraph === 'object' && paragraph.type === 'P') {
        runs = this.#runsOf(paragraph.kids.filter((kid) => this.#isInline(kid)))
        rest = [...paragraph.kids.filter((kid) => !this.#isInline(kid)), ...rest.slice(1)]
      }
      const at = this.parts.length
      if (runs.length > 0)
        this.parts.push({ kind: 'item', depth: Math.min(depth, maxListDepth), label, hasLabel, runs })
      this.addAll(rest, depth + 1)
      if (runs.length === 0 && label.some(({ text }) => !bullet.test(text))) this.#placeLabel(label, at)
    }
  }

  /** Adds a label before the part at an index, such as the number of a heading. */
  #placeLabel(label: TextRun[], at: number): void {
    const next = this.parts[at]
    if (next && 'runs' in next) next.runs.unshift(...label)
    else this.parts.splice(at, 0, { kind: 'region', runs: label })
  }

  /**
   * Adds a table. If it has a single row or column, or lists, tables or headings in its cells, adds the contents of the
   * cells as separate parts.
   */
  #addTable(table: StructureElement, depth: number): void {
    const rows = elementsOf(table).flatMap((kid) => (rowGroups.has(kid.type) ? elementsOf(kid) : [kid]))
    const cells = wholeRows(rows.map((row) => elementsOf(row).filter(({ type }) => type === 'TD' || type === 'TH')))
    const columns = cells.reduce((most, row) => Math.max(most, widthOf(row)), 0)
    const isTable =
      rows.length > 1 &&
      rows.length * columns <= maxCells &&
      rows.every(({ type }) => type === 'TR' || type === 'Caption') &&
      cells.some((row) => row.length > 1) &&
      cells.flat().every((cell) => !containsAny(cell, blocksInCells))
    if (!isTable) {
      this.addAll(table.kids, depth)
      return
    }
    for (const row of rows) if (row.type === 'Caption') this.#add(row, depth)
    this.parts.push({
      kind: 'table',
      rows: cells
        .filter((row) => row.length > 0)
        .map((row) => row.map((cell) => ({ runs: this.#runsOf(cell.kids), columns: cell.columns ?? 1 }))),
    })
  }

  #isInline(kid: StructureElement | number): boolean {
    if (typeof kid === 'number') return true
    const known = this.#isBlock.get(kid)
    if (known !== undefined) return !known
    const isBlock = !inlineTypes.has(kid.type) || kid.kids.some((part) => !this.#isInline(part))
    this.#isBlock.set(kid, isBlock)
    return !isBlock
  }

  /** The runs of elements and marked content that belong to no part yet. */
  #runsOf(kids: readonly (StructureElement | number)[]): TextRun[] {
    const runs: TextRun[] = []
    const collect = (kid: StructureElement | number, isInLabel: boolean): void => {
      if (typeof kid !== 'number') {
        for (const part of kid.kids) collect(part, isInLabel || isLabel(kid))
        return
      }
      for (const run of this.#byMcid.get(kid) ?? []) {
        if (this.used.has(run)) continue
        this.used.add(run)
        runs.push(isInLabel && noteNumber.test(run.text) ? { ...run, isMark: true } : run)
      }
    }
    for (const kid of kids) collect(kid, false)
    return runs
  }
}

/**
 * The rows of a table on one page, without empty cells at their ends. Elements of a row that are on another page count
 * as empty cells (see `StructureReader`), even if they are not cells. So a row that is wider than all between the first
 * and the last one also loses empty cells at its start.
 */
function wholeRows(rows: StructureElement[][]): StructureElement[][] {
  const trimmed = rows.map((row) => row.slice(0, row.findLastIndex(hasContent) + 1))
  const columns = trimmed.slice(1, -1).reduce((most, row) => Math.max(most, widthOf(row)), 0)
  if (columns === 0) return trimmed
  return trimmed.map((row) => row.slice(Math.max(0, Math.min(row.findIndex(hasContent), widthOf(row) - columns))))
}

function isLabel(kid: StructureElement | number): boolean {
  return typeof kid !== 'number' && kid.type === 'Lbl'
}

function hasContent({ kids }: StructureElement): boolean {
  return kids.length > 0
}

function widthOf(row: readonly StructureElement[]): number {
  return row.reduce((sum, cell) => sum + (cell.columns ?? 1), 0)
}

/** Whether an element is a heading or contains one. */
export function namesHeading(element: StructureElement): boolean {
  return heading.test(element.type) || elementsOf(element).some(namesHeading)
}

function elementsOf({ kids }: StructureElement): StructureElement[] {
  return kids.filter((kid) => typeof kid !== 'number')
}

function containsAny(element: StructureElement, types: readonly string[]): boolean {
  return elementsOf(element).some((kid) => types.includes(kid.type) || containsAny(kid, types))
}
