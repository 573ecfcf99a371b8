import type { Block } from './blocks.ts'

/** The placeholders of a picture and of a link. */
// eslint-disable-next-line no-control-regex
const unit = /\u0002[^\u0003]{0,2000}\u0003|\u0097[^\u0097\u0098]{0,2000}\u0098[\u0080-\u008F]+/g
const maxUnitLength = 2_010

/** How far before its limit a paragraph is searched for a place to split, in UTF-16 units. */
const maxLookBack = 1_000

/**
 * Splits a block into pieces whose rendered text is at most `firstLimit` UTF-16 units for the first piece and `limit`
 * for the others. Splits code and tables between lines, and every piece repeats their head.
 */
export function splitBlock(block: Block, firstLimit: number, limit: number): Block[] {
  const overhead = 5 + block.head.length + block.tail.length + block.linePrefix.length * 3
  const pieces: Block[] = []
  for (let from = 0; from < block.body.length;) {
    const prefixLength = pieces.length === 0 ? block.firstLinePrefix.length : block.linePrefix.length
    const available = (pieces.length === 0 ? firstLimit : limit) - overhead - prefixLength
    const to = fittingEnd(block, from, Math.max(available, 200))
    pieces.push(buildPiece(block, { from, to, index: pieces.length }))
    from = skipSeparator(block, to)
  }
  return pieces
}

/** The offset up to which the body fits into `available` UTF-16 units, at the best place to split. */
function fittingEnd({ kind, body, linePrefix }: Block, from: number, available: number): number {
  let end = from
  for (let remaining = available; end < body.length;) {
    const found = body.indexOf('\n', end)
    const lineEnd = found < 0 ? body.length : found
    const cost = lineEnd - end + 1 + linePrefix.length
    if (cost > remaining) {
      // A line that fits on a piece of its own goes to the next piece.
      if (end > from && (kind !== 'text' || cost <= available)) return end - 1
      return outsideUnit(body, from, splitPoint(body, end, end + Math.max(remaining - 1 - linePrefix.length, 1)))
    }
    remaining -= cost
    end = lineEnd + 1
  }
  return body.length
}

/** The offset before `limit` after the last sentence, otherwise at the last space, otherwise between two characters. */
function splitPoint(body: string, from: number, limit: number): number {
  const start = Math.max(from, limit - maxLookBack)
  const window = body.slice(start, limit)
  const sentence = Math.max(...['. ', '! ', '? ', '。', '！', '？'].map((mark) => window.lastIndexOf(mark)))
  if (sentence > 0) return start + sentence + 1
  const blank = window.lastIndexOf(' ')
  if (blank > 0) return start + blank
  return isTrailSurrogate(body.charCodeAt(limit)) ? limit - 1 : limit
}

/** The same position, or the nearest one outside a picture or a link that it would split. */
function outsideUnit(body: string, from: number, at: number): number {
  const begin = Math.max(0, at - maxUnitLength)
  for (const { 0: written, index } of body.slice(begin, at + maxUnitLength).matchAll(unit)) {
    const [start, end] = [begin + index, begin + index + written.length]
    if (start < at && at < end) return start > from ? start : end
  }
  return at
}

function isTrailSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

/** Skips the line end or, in text, the white space at which the block was split. */
function skipSeparator({ kind, body }: Block, at: number): number {
  if (kind === 'fence' || kind === 'table') return body[at] === '\n' ? at + 1 : at
  let next = at
  while (next < body.length && (body[next] === ' ' || body[next] === '\n')) next++
  return next
}

function buildPiece(block: Block, { from, to, index }: { from: number; to: number; index: number }): Block {
  const last = to >= block.body.length
  return {
    ...block,
    kind: block.kind === 'heading' && index > 0 ? 'text' : block.kind,
    body: block.body.slice(from, to),
    firstLinePrefix: index === 0 ? block.firstLinePrefix : block.linePrefix,
    tight: index === 0 && block.tight,
    anchors: block.anchors
      .filter(({ offset }) => (index === 0 || offset >= from) && (last || offset < to))
      .map((anchor) => ({ ...anchor, offset: Math.max(0, anchor.offset - from) })),
  }
}
