/** A block of Markdown without the prefixes of its containers. Pages consist of blocks. */
export interface Block {
  kind: 'text' | 'heading' | 'fence' | 'table'
  /** The lines that every piece of a split block repeats: the opening line of a fence, the head of a table. */
  head: string
  body: string
  /** The closing line of a fence. */
  tail: string
  /** The prefixes of the first line, including list markers, and of every other line. */
  firstLinePrefix: string
  linePrefix: string
  /** Whether it follows the block before it without a blank line. */
  tight: boolean
  anchors: Anchor[]
}

/** A position in a block that is referenced: by an element id, as the start of a printed page, or as a heading. */
export interface Anchor {
  kind: 'id' | 'label' | 'heading'
  value: string
  /** Approximate offset in the block's body in UTF-16 units; 0 is its start. */
  offset: number
}

/** A block with this kind and body and all other fields empty. */
export function newBlock(kind: Block['kind'], body: string): Block {
  return { kind, head: '', body, tail: '', firstLinePrefix: '', linePrefix: '', tight: false, anchors: [] }
}

/** The Markdown of a block, without a trailing line end. */
export function renderBlock(block: Block): string {
  const { head, body, tail } = block
  const text = head === '' && tail === '' ? body : [head, body, tail].filter((part) => part !== '').join('\n')
  if (block.linePrefix === '') return block.firstLinePrefix + text
  const blank = block.linePrefix.trimEnd()
  const lines = text.split('\n').map((line) => (line === '' ? blank : block.linePrefix + line))
  lines[0] = block.firstLinePrefix + text.split('\n', 1)[0]
  return lines.join('\n')
}

/** An upper bound for the length of `renderBlock`, including the blank line before the block. */
export function maxBlockLength(block: Block): number {
  const size = 5 + block.firstLinePrefix.length + block.head.length + block.body.length + block.tail.length
  return block.linePrefix === '' ? size : size + block.linePrefix.length * (4 + countLines(block.body))
}

function countLines(text: string): number {
  let count = 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}
