import { Parser } from 'htmlparser2'
import { hasType, isNote, isNoteList } from './note-labels.ts'

/** A block of an XHTML file: a paragraph, a list item, a division. Offsets are in the source. */
export interface ScannedBlock {
  name: string
  /** Offsets of its start tag and its end tag, and of its content. */
  from: number
  to: number
  textFrom: number
  textTo: number
  /** The index of its parent block; -1 if it has none. */
  parent: number
  /** The index of its last descendant; its own index if it has none. */
  last: number
  /** The start of its text. */
  text: string
  class: string
  /** The number of a list item. */
  ordinal: number | null
  hasNumber: boolean
  /** Whether it is marked as a single note, or as something that is not a note. */
  isNote: boolean
  isOther: boolean
  /** True if it is in a list of notes. */
  inNotes: boolean
  /** The targets of its links, at most a few. */
  hrefs: string[]
  hasPicture: boolean
}

/** The position of an id: a block, or an offset within one with the text before it. */
interface IdPlace {
  block: number
  /** Null if the block itself has the id. */
  inline: { at: number; before: string } | null
}

/** The blocks of a file in order, and the positions of its ids. */
export interface ScannedFile {
  blocks: ScannedBlock[]
  ids: Map<string, IdPlace>
}

const blockNames =
  /^(?:p|div|li|d[dtl]|t[dhr]|table|tbody|thead|ul|ol|h[1-6]|section|aside|article|blockquote|body|nav|figure|pre|header|footer|main|hgroup)$/
const otherTypes = [
  'index',
  'bibliography',
  'toc',
  'landmarks',
  'page-list',
  'glossary',
  'biblioentry',
  'doc-index',
  'doc-bibliography',
  'doc-toc',
  'doc-biblioentry',
  'doc-glossary',
]
const maxBlocks = 150_000
const maxText = 60
const maxHrefs = 8
const maxDepth = 512

/** Scans the blocks and ids of a file; null if there are too many or if they are nested too deeply. */
export function scanFile(source: string): ScannedFile | null {
  const scanner = new Scanner()
  const parser = new Parser(scanner, { recognizeSelfClosing: true, recognizeCDATA: true })
  for (let from = 0; from < source.length && !scanner.isFull; from += partLength)
    parser.write(source.slice(from, from + partLength))
  if (scanner.isFull) return null
  parser.end()
  scanner.end(source.length)
  return { blocks: scanner.blocks, ids: scanner.ids }
}

const partLength = 256 * 1024

class Scanner {
  readonly blocks: ScannedBlock[] = []
  readonly ids = new Map<string, IdPlace>()
  isFull = false
  private parser: Parser | null = null
  /** The indexes of the open blocks. */
  private readonly open: number[] = []
  private readonly counters: number[] = []
  private depth = 0
  private otherDepth = 0

  onparserinit(parser: Parser): void {
    this.parser = parser
    // Text of MOBI files can be directly in the body.
    this.openBlock('body', {})
  }

  onopentag(name: string, attributes: Readonly<Record<string, string>>): void {
    this.depth++
    if (this.depth > maxDepth || this.blocks.length >= maxBlocks) return void (this.isFull = true)
    const isBlock = blockNames.test(name)
    if (isBlock) this.openBlock(name, attributes)
    const block = this.open.at(-1)
    if (block === undefined) return
    const current = this.blocks[block] as ScannedBlock
    if (name === 'img' || name === 'image' || name === 'svg' || name === 'audio' || name === 'video')
      current.hasPicture = true
    const { href } = attributes
    if (name === 'a' && href?.includes('#') && current.hrefs.length < maxHrefs) current.hrefs.push(href)
    for (const id of [attributes['id'], name === 'a' ? attributes['name'] : undefined]) this.addId(id, block, isBlock)
  }

  ontext(text: string): void {
    const block = this.open.at(-1)
    if (block !== undefined) this.addText(block, text)
  }

  onclosetag(name: string, isImplied: boolean): void {
    this.depth--
    if (!blockNames.test(name)) return
    const index = this.open.pop()
    const block = index === undefined ? undefined : this.blocks[index]
    if (block === undefined || this.parser === null) return
    const { startIndex, endIndex } = this.parser
    block.textTo = Math.max(block.textFrom, startIndex)
    block.to = Math.max(block.textTo, isImplied ? startIndex : endIndex + 1)
    block.last = this.blocks.length - 1
    if (name === 'ol' || name === 'ul') this.counters.pop()
    if (block.isOther) this.otherDepth--
  }

  /** Closes the file. */
  end(length: number): void {
    for (const index of this.open) {
      const block = this.blocks[index] as ScannedBlock
      block.to = block.textTo = length
      block.last = this.blocks.length - 1
    }
  }

  private openBlock(name: string, attributes: Readonly<Record<string, string>>): void {
    const { startIndex = 0, endIndex = 0 } = this.parser ?? {}
    const isOther = hasType(attributes, otherTypes) || name === 'nav'
    if (isOther) this.otherDepth++
    const parent = this.open.at(-1) ?? -1
    this.blocks.push({
      name,
      from: startIndex,
      to: endIndex + 1,
      textFrom: endIndex + 1,
      textTo: endIndex + 1,
      parent,
      last: this.blocks.length,
      text: '',
      class: attributes['class'] ?? '',
      ordinal: name === 'li' ? this.countItem(attributes['value']) : null,
      hasNumber: attributes['value'] !== undefined,
      isNote: isNote(attributes),
      isOther,
      inNotes: (this.blocks[parent]?.inNotes ?? false) || isNoteList(attributes),
      hrefs: [],
      hasPicture: false,
    })
    this.open.push(this.blocks.length - 1)
    if (name === 'ol' || name === 'ul')
      this.counters.push(name === 'ol' ? numberOf(attributes['start'], 1) : Number.NaN)
  }

  private countItem(value: string | undefined): number | null {
    const at = this.counters.length - 1
    const number = numberOf(value, this.counters[at] ?? Number.NaN)
    if (Number.isNaN(number)) return null
    this.counters[at] = number + 1
    return number
  }

  private addId(id: string | undefined, block: number, isOfBlock: boolean): void {
    if (id === undefined || id === '' || this.ids.has(id) || this.otherDepth > 0) return
    const before = this.blocks[block]?.text ?? ''
    const place: IdPlace = { block, inline: isOfBlock ? null : { at: this.parser?.startIndex ?? 0, before } }
    this.ids.set(id, place)
  }

  private addText(block: number, text: string): void {
    for (let at = block; at >= 0; at = this.blocks[at]?.parent ?? -1) {
      const current = this.blocks[at] as ScannedBlock
      if (current.text.length >= maxText) return
      current.text = (current.text + text.slice(0, maxText)).replace(/\s+/g, ' ').trimStart().slice(0, maxText)
    }
  }
}

function numberOf(text: string | undefined, otherwise: number): number {
  const number = Number.parseInt(text ?? '', 10)
  return Number.isNaN(number) ? otherwise : number
}
