import { FormatError } from '../format.ts'
import { newBlock } from './blocks.ts'
import type { Block, Anchor } from './blocks.ts'
import { escapeLineStarts } from './escape.ts'
import { InlineWriter } from './inline-writer.ts'

/** A list item, a quotation or a note that contains blocks. */
interface Container {
  /** The prefix of its lines. */
  indent: string
  /** The prefix of its first line; null once that line is written. */
  marker: string | null
  /** Whether its first line may follow the preceding text without a blank line. */
  tight: boolean
}

/**
 * Maximum depth; deeper lists and quotations are written at this depth, so that indentation stays a small part of the
 * text.
 */
const maxDepth = 10
/**
 * A paragraph is split at this length, in UTF-16 units, because it would not fit on one page. It also keeps processing
 * linear.
 */
const maxParagraphLength = 20_000
const maxSliceLength = 10_000
/**
 * Maximum number of blocks, table rows and cells of one file, and of anchors; each takes a few hundred bytes of memory
 * until its page is written.
 */
const maxPieces = 250_000

/** A scene break: a line of asterisks, dashes or similar characters. */
const sceneBreak = /^(?:(?:\\?[*#~\u2022\u00B7\u2014\u2013-] ?){3,200}|\u2042|\u2766)$/

/** Builds the blocks of a file while its elements are parsed. */
export class BlockWriter {
  readonly inline = new InlineWriter()
  /** The level of the current heading; 0 outside of headings. */
  headingLevel = 0
  private blocks: Block[] = []
  private containers: Container[] = []
  private anchors: Anchor[] = []
  private pieceCount = 0
  private anchorCount = 0
  private readonly outerStates: { blocks: Block[]; containers: Container[] }[] = []

  /** Whether the writer is in a table cell. */
  get inCell(): boolean {
    return this.outerStates.length > 0
  }

  /** Adds text to the current paragraph, in slices that keep the work on each small. */
  text(source: string): void {
    for (let from = 0; from < source.length;) {
      const to = sliceEnd(source, from + maxSliceLength)
      this.inline.text(source.slice(from, to))
      from = to
      if (this.inline.length <= maxParagraphLength) continue
      this.flush()
      this.headingLevel = 0
    }
  }

  /** Adds a formula as a block; in a heading, in a table cell or within other text, as an inline formula. */
  displayFormula(latex: string): void {
    if (this.headingLevel > 0 || this.inCell || this.inline.isWithinSpan) return this.inline.formula(latex)
    this.flush()
    this.inline.hasFormulas = true
    this.emit(newBlock('text', `$$\n${latex}\n$$`))
  }

  /** Adds an anchor at the current position, or at an offset in the next block. Ignores those beyond `maxPieces`. */
  addAnchor(kind: Anchor['kind'], value: string, offset: number = this.inline.length): void {
    if (this.anchorCount++ < maxPieces) this.anchors.push({ kind, value, offset })
  }

  /** Ends the current paragraph or heading. */
  flush(): void {
    const text = this.inline.endParagraph()
    if (text === '') return
    if (this.headingLevel === 0 && this.isAtTopLevel && isSceneBreak(text)) this.emit(newBlock('text', '---'))
    else if (this.headingLevel === 0) this.emit(newBlock('text', escapeLineStarts(text)))
    else this.emit(newBlock('heading', `${'#'.repeat(this.headingLevel)} ${text.replace(/\s*\n/g, ' ')}`))
  }

  /** Adds a block inside the current containers, with the anchors that were added since the last block. */
  emit(block: Block): void {
    this.countPiece()
    if (this.containers.length > 0) this.addPrefixes(block)
    else block.tight &&= this.blocks.at(-1)?.kind === 'text'
    if (this.anchors.length > 0) {
      block.anchors = block.anchors.concat(this.anchors)
      this.anchors = []
    }
    this.blocks.push(block)
  }

  /** Adds the line prefixes of the current containers to a block. */
  private addPrefixes(block: Block): void {
    const depth = this.containers.findIndex(({ marker }) => marker !== null)
    const openedContainer = depth < 0 ? null : this.containers[depth]
    const { marker: openedMarker = null } = openedContainer ?? {}
    const rest = this.containers.map(({ indent }) => indent).join('')
    const first = this.containers.map(({ indent, marker }) => marker ?? indent).join('')
    for (const container of this.containers) container.marker = null
    const before = this.blocks.at(-1)
    block.tight = (openedContainer?.tight ?? block.tight) && before?.kind === 'text'
    // After a paragraph, a list item other than the first would be read as part of the paragraph.
    const outer = this.containers.slice(0, Math.max(depth, 0)).reduce((sum, { indent }) => sum + indent.length, 0)
    if (before !== undefined && before.linePrefix.length <= outer && /^(?!1[.)])\d/.test(openedMarker ?? ''))
      block.tight = false
    block.firstLinePrefix = first + block.firstLinePrefix
    block.linePrefix = rest + block.linePrefix
  }

  /** Counts a block, a table row or a table cell. Throws `TOO_LARGE` for more than `maxPieces` in a file. */
  countPiece(): void {
    if (++this.pieceCount > maxPieces) throw new FormatError('TOO_LARGE', `more than ${maxPieces} blocks in one file`)
  }

  /** Ends the current paragraph and enters a list item, a quotation or a note, or goes on in one if `marker` is null. */
  enter(indent: string, marker: string | null, tight: boolean): void {
    this.flush()
    const isTooDeep = this.containers.length >= maxDepth
    this.containers.push(isTooDeep ? { indent: '', marker: null, tight } : { indent, marker, tight })
  }

  leave(): void {
    this.flush()
    this.containers.pop()
  }

  /** True if no list item, quotation or note encloses the current position. */
  get isAtTopLevel(): boolean {
    return this.containers.length === 0 && !this.inCell
  }

  /** True if the innermost container already has text. */
  get hasText(): boolean {
    return this.containers.at(-1)?.marker === null
  }

  beginCell(): void {
    this.flush()
    this.outerStates.push({ blocks: this.blocks, containers: this.containers })
    this.blocks = []
    this.containers = []
  }

  /** Ends a table cell and returns its blocks. */
  endCell(): Block[] {
    this.flush()
    const cell = this.blocks
    const outer = this.outerStates.pop()
    this.blocks = outer?.blocks ?? []
    this.containers = outer?.containers ?? []
    return cell
  }

  /** Ends the file and returns its blocks, and the anchors after the last block. */
  end(): { blocks: Block[]; trailingAnchors: Anchor[] } {
    this.flush()
    return { blocks: this.blocks, trailingAnchors: this.anchors }
  }
}

function isSceneBreak(text: string): boolean {
  return (
    text.length <= 300 && !/^[\p{L}\p{N}]/u.test(text) && sceneBreak.test(text.replace(/^(\*\*?)([^*].*)\1$/, '$2'))
  )
}

/** Returns `end`, or one less if it would split a surrogate pair. */
function sliceEnd(text: string, end: number): number {
  if (end >= text.length) return text.length
  const code = text.charCodeAt(end)
  return code >= 0xdc00 && code <= 0xdfff ? end - 1 : end
}
