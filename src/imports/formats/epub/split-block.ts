import type { Block } from './blocks.ts'

/** How far back a paragraph is searched for a place to cut. */
const lookBack = 1_000

/**
 * Cuts a block into pieces whose rendered text stays under a number of characters: `first` for the first piece, `limit`
 * for the others. Code and tables are cut between lines and each piece repeats their opening.
 */
export function cutBlock(block: Block, first: number, limit: number): Block[] {
  const repeated = 5 + block.head.length + block.tail.length + block.rest.length * 3
  const pieces: Block[] = []
  for (let from = 0; from < block.body.length;) {
    const lead = pieces.length === 0 ? block.first.length : block.rest.length
    const room = (pieces.length === 0 ? first : limit) - repeated - lead
    const to = fit(block, from, Math.max(room, 200))
    pieces.push(piece(block, { from, to, index: pieces.length }))
    from = skipSeparator(block, to)
  }
  return pieces
}

/** The offset up to which the body fits into `room`, at the best place to cut. */
function fit({ kind, body, rest }: Block, from: number, room: number): number {
  let end = from
  for (let left = room; end < body.length;) {
    const found = body.indexOf('\n', end)
    const lineEnd = found < 0 ? body.length : found
    const cost = lineEnd - end + 1 + rest.length
    if (cost > left) {
      // A line that fits on a piece of its own waits for the next one.
      if (end > from && (kind !== 'text' || cost <= room)) return end - 1
      return cutLine(body, end, end + Math.max(left - 1 - rest.length, 1))
    }
    left -= cost
    end = lineEnd + 1
  }
  return body.length
}

/** After the last sentence, else at the last blank, else between two characters, before `limit`. */
function cutLine(body: string, from: number, limit: number): number {
  const start = Math.max(from, limit - lookBack)
  const window = body.slice(start, limit)
  const sentence = Math.max(...['. ', '! ', '? ', '。', '！', '？'].map((mark) => window.lastIndexOf(mark)))
  if (sentence > 0) return start + sentence + 1
  const blank = window.lastIndexOf(' ')
  if (blank > 0) return start + blank
  return isTrailSurrogate(body.charCodeAt(limit)) ? limit - 1 : limit
}

function isTrailSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

/** The line end or, in text, the blanks at which the block was cut belong to no piece. */
function skipSeparator({ kind, body }: Block, at: number): number {
  if (kind === 'fence' || kind === 'table') return body[at] === '\n' ? at + 1 : at
  let next = at
  while (next < body.length && (body[next] === ' ' || body[next] === '\n')) next++
  return next
}

function piece(block: Block, { from, to, index }: { from: number; to: number; index: number }): Block {
  const last = to >= block.body.length
  return {
    ...block,
    kind: block.kind === 'heading' && index > 0 ? 'text' : block.kind,
    body: block.body.slice(from, to),
    first: index === 0 ? block.first : block.rest,
    tight: index === 0 && block.tight,
    marks: block.marks
      .filter(({ at }) => (index === 0 || at >= from) && (last || at < to))
      .map((mark) => ({ ...mark, at: Math.max(0, mark.at - from) })),
  }
}
