/** A piece of a book that pages are made of: Markdown, apart from what contains it. */
export interface Block {
  kind: 'text' | 'heading' | 'fence' | 'table'
  /** The lines that repeat when the block is cut: of a fence its opening line, of a table its head. */
  head: string
  body: string
  /** The line that ends a fence. */
  tail: string
  /** What the first line begins with, list markers included, and what every other line does. */
  first: string
  rest: string
  /** Follows the block before it without a blank line. */
  tight: boolean
  marks: Mark[]
}

/** A place in a block that something points at: an element id, or the first word of a printed page. */
export interface Mark {
  kind: 'id' | 'label'
  value: string
  /** Offset in the block's body, roughly; 0 is its beginning. */
  at: number
}

/** A block of that kind with everything else empty. */
export function newBlock(kind: Block['kind'], body: string): Block {
  return { kind, head: '', body, tail: '', first: '', rest: '', tight: false, marks: [] }
}

/** The Markdown of a block, without a line end after it. */
export function renderBlock(block: Block): string {
  const text = [block.head, block.body, block.tail].filter((part) => part !== '').join('\n')
  if (block.rest === '') return block.first + text
  const blank = block.rest.trimEnd()
  const lines = text.split('\n').map((line) => (line === '' ? blank : block.rest + line))
  lines[0] = block.first + text.split('\n', 1)[0]
  return lines.join('\n')
}

/** At least as many characters as `renderBlock` gives, the blank line before it included. */
export function blockSize(block: Block): number {
  const size = 5 + block.first.length + block.head.length + block.body.length + block.tail.length
  return block.rest === '' ? size : size + block.rest.length * (4 + countLines(block.body))
}

function countLines(text: string): number {
  let count = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}
