/** A piece of a book that pages are made of: Markdown, apart from what contains it. */
export interface Block {
  kind: 'text' | 'heading' | 'fence' | 'table'
  /** The lines that repeat when the block is cut: of a fence its opening line, of a table its head. */
  head: string
  body: string
  /** The line that ends a fence. */
  tail: string
  /** What the first line begins with, list markers included, and what every other line does. */
  firstLinePrefix: string
  linePrefix: string
  /** Follows the block before it without a blank line. */
  tight: boolean
  anchors: Anchor[]
}

/** A place in a block that something points at: an element id, or the first word of a printed page. */
export interface Anchor {
  kind: 'id' | 'label'
  value: string
  /** Offset in the block's body, roughly; 0 is its beginning. */
  offset: number
}

/** A block of that kind with everything else empty. */
export function newBlock(kind: Block['kind'], body: string): Block {
  return { kind, head: '', body, tail: '', firstLinePrefix: '', linePrefix: '', tight: false, anchors: [] }
}

/** The Markdown of a block, without a line end after it. */
export function renderBlock(block: Block): string {
  const text = [block.head, block.body, block.tail].filter((part) => part !== '').join('\n')
  if (block.linePrefix === '') return block.firstLinePrefix + text
  const blank = block.linePrefix.trimEnd()
  const lines = text.split('\n').map((line) => (line === '' ? blank : block.linePrefix + line))
  lines[0] = block.firstLinePrefix + text.split('\n', 1)[0]
  return lines.join('\n')
}

/** At least as many characters as `renderBlock` gives, the blank line before it included. */
export function maxBlockLength(block: Block): number {
  const size = 5 + block.firstLinePrefix.length + block.head.length + block.body.length + block.tail.length
  return block.linePrefix === '' ? size : size + block.linePrefix.length * (4 + countLines(block.body))
}

function countLines(text: string): number {
  let count = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}
