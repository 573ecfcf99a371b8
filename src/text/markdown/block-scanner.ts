import { LineCursor } from './line-cursor.ts'
import {
  definitionsEnd,
  fenceAt,
  headingAt,
  htmlBlockAt,
  thematicBreakEnd,
  listMarkerAt,
  setextAt,
} from './line-rules.ts'
import type { HtmlBlock } from './line-rules.ts'

/** A heading outside lists, quotations, code blocks and HTML blocks. Offsets are in UTF-16 units of the whole text. */
export interface ScannedHeading {
  /** 1 to 6. */
  level: number
  /** True for `# Title` (ATX), false for a title underlined with `===` or `---` (setext). */
  atx: boolean
  /** Offset of its first line. */
  start: number
  /** Its raw inline text without heading marks is `text.slice(from, to)`. */
  from: number
  to: number
}

type Leaf = 'none' | 'paragraph' | 'code' | 'fence' | 'html'

const QUOTE = 0

/** Tracks the open containers and the open leaf block, line by line. */
export class BlockScanner {
  private readonly text: string
  private readonly visit: (heading: ScannedHeading) => void
  /** Outermost first: `QUOTE`, or the indentation of the content of a list item, in columns. */
  private readonly containers: number[] = []
  private quotes = 0
  /** True while the innermost container is a list item without content. */
  private emptyItem = false
  private leaf: Leaf = 'none'
  private paragraphStart = 0
  private fenceMark = 0
  private fenceLength = 0
  private noBreakBefore = 0
  private html: HtmlBlock = { end: null }

  private readonly cursor: LineCursor

  constructor(text: string, visit: (heading: ScannedHeading) => void) {
    this.text = text
    this.visit = visit
    this.cursor = new LineCursor(text)
  }

  line(start: number, end: number): void {
    this.cursor.begin(start, end)
    if (this.cursor.next === end) return this.blankLine()
    const matched = this.containers.length === 0 ? 0 : this.matchContainers(end)
    this.emptyItem = false
    const inside = matched === this.containers.length
    if (this.leaf === 'fence' || this.leaf === 'html') {
      if (inside) return this.continueLeaf(end)
      this.leaf = 'none'
    }
    this.openBlocks(start, end, matched)
  }

  /** Closes quotations and paragraphs; list items stay open unless they are empty. */
  private blankLine(): void {
    if (this.quotes > 0) {
      this.truncate(this.containers.indexOf(QUOTE))
      this.leaf = 'none'
    } else if (this.emptyItem) {
      this.truncate(this.containers.length - 1)
    }
    this.emptyItem = false
    if (this.leaf === 'paragraph' || (this.leaf === 'html' && this.html.end === null)) this.leaf = 'none'
  }

  private matchContainers(end: number): number {
    let matched = 0
    for (const width of this.containers) {
      if (matched > 0) this.cursor.measure()
      if (width === QUOTE) {
        if (this.cursor.indent > 3 || this.text.charCodeAt(this.cursor.next) !== 62 || this.cursor.next === end) break
        this.enterQuote()
      } else {
        if (this.cursor.next === end) return this.containers.length
        if (this.cursor.indent < width) break
        this.cursor.consume(width)
      }
      matched++
    }
    return matched
  }

  private continueLeaf(end: number): void {
    this.cursor.measure()
    if (this.leaf === 'fence') {
      const fence = this.cursor.indent < 4 ? fenceAt(this.text, this.cursor.next, end) : null
      if (fence?.mark === this.fenceMark && fence.length >= this.fenceLength && fence.bare) this.leaf = 'none'
    } else if (this.html.end === null) {
      if (this.cursor.next === end) this.leaf = 'none'
    } else if (this.html.end.test(this.text.slice(this.cursor.at, end))) {
      this.leaf = 'none'
    }
  }

  private openBlocks(start: number, end: number, matched: number): void {
    const direct = this.leaf === 'paragraph' && matched === this.containers.length
    // Like micromark: a line that may not interrupt a paragraph may not interrupt indented code either.
    const indentedCode = this.leaf === 'code' && matched === this.containers.length
    let lazy = this.leaf === 'paragraph'
    for (let depth = matched; ; depth++) {
      this.cursor.measure()
      if (this.cursor.next === end) {
        if (this.leaf === 'paragraph') this.close(matched)
        return
      }
      if (this.cursor.indent > 3) {
        if (lazy) return
        const alone = depth === this.containers.length
        this.close(depth)
        this.leaf = alone ? 'code' : 'none'
        return
      }
      if (this.openLeaf(start, end, { depth, lazy, direct: direct && depth === matched })) return
      const interrupting = (direct || indentedCode) && depth === matched
      if (!this.openContainer(end, depth, interrupting)) {
        if (lazy) return
        this.close(depth)
        this.leaf = 'paragraph'
        this.paragraphStart = start
        return
      }
      lazy = false
    }
  }

  /** Processes a line that begins a leaf block; returns false if it does not. */
  private openLeaf(
    start: number,
    end: number,
    { depth, lazy, direct }: { depth: number; lazy: boolean; direct: boolean },
  ): boolean {
    const { text } = this
    const { next } = this.cursor
    const mark = text.charCodeAt(next)
    if (mark === 35) return this.atxHeading(start, end, depth)
    if (mark === 96 || mark === 126) {
      const fence = fenceAt(text, next, end)
      if (fence === null || !fence.opens) return false
      this.close(depth)
      this.leaf = 'fence'
      this.fenceMark = fence.mark
      this.fenceLength = fence.length
      return true
    }
    if (mark === 60) {
      const html = htmlBlockAt(text.slice(next, end), lazy)
      if (html === null) return false
      this.close(depth)
      if (html !== 'closed') {
        this.leaf = 'html'
        this.html = html
      }
      return true
    }
    const level = direct ? setextAt(text, next, end) : 0
    if (level > 0) {
      if (depth > 0) this.close(depth)
      else this.setextHeading(level, start)
      return true
    }
    if (next < this.noBreakBefore) return false
    this.noBreakBefore = thematicBreakEnd(text, next, end)
    if (this.noBreakBefore < end) return false
    this.close(depth)
    return true
  }

  private atxHeading(start: number, end: number, depth: number): boolean {
    const heading = headingAt(this.text, this.cursor.next, end)
    if (heading === null) return false
    this.close(depth)
    if (depth === 0) this.visit({ atx: true, start, ...heading })
    return true
  }

  /**
   * Turns the underlined paragraph into a heading, unless it consists of link reference definitions: then the line is
   * text.
   */
  private setextHeading(level: number, underline: number): void {
    const start = definitionsEnd(this.text, this.paragraphStart, underline)
    if (start === underline) {
      this.paragraphStart = underline
      return
    }
    this.leaf = 'none'
    this.visit({ level, atx: false, start, from: start, to: underline })
  }

  private openContainer(end: number, depth: number, interrupting: boolean): boolean {
    if (this.text.charCodeAt(this.cursor.next) === 62) {
      this.close(depth)
      this.enterQuote()
      this.containers.push(QUOTE)
      this.quotes++
      return true
    }
    const marker = listMarkerAt(this.text, this.cursor.next, end)
    if (marker === null) return false
    if (interrupting && (marker.empty || !marker.interrupts)) return false
    this.close(depth)
    const outer = this.cursor.indent
    this.cursor.consume(outer + marker.length)
    this.cursor.measure()
    const padding = marker.empty || this.cursor.indent > 4 ? 1 : this.cursor.indent
    this.containers.push(outer + marker.length + padding)
    this.emptyItem = marker.empty
    if (!marker.empty) this.cursor.consume(padding)
    return true
  }

  /** Ends the open leaf and every container below `depth`. */
  private close(depth: number): void {
    this.leaf = 'none'
    this.truncate(depth)
  }

  private truncate(depth: number): void {
    while (this.containers.length > depth) if (this.containers.pop() === QUOTE) this.quotes--
  }

  private enterQuote(): void {
    this.cursor.consume(this.cursor.indent + 1)
    const after = this.text.charCodeAt(this.cursor.at)
    if (after === 32 || after === 9) this.cursor.consume(1)
  }
}
