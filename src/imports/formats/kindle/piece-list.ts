/** A range of bytes. */
export interface Piece {
  from: number
  to: number
}

/** A sequence of byte ranges with insertions. An insertion costs the distance from the previous one (gap buffer). */
export class PieceList {
  /** Number of pieces that were moved across the gap. */
  moves = 0
  length: number
  /** The pieces before the end of the last insertion, and those after it in reverse order. */
  private readonly before: Piece[] = []
  private readonly behind: Piece[]
  private position = 0

  constructor(piece: Piece) {
    this.behind = [piece]
    this.length = piece.to - piece.from
  }

  /** Inserts a piece at a byte offset of the list, which must not exceed its length. */
  insert(at: number, piece: Piece): void {
    while (this.position > at) this.stepBack()
    while (this.position < at) this.stepOn(at)
    this.before.push(piece)
    const length = piece.to - piece.from
    this.position += length
    this.length += length
  }

  list(): Piece[] {
    return [...this.before, ...this.behind.toReversed()]
  }

  private stepBack(): void {
    this.moves++
    const piece = this.before.pop() as Piece
    this.behind.push(piece)
    this.position -= piece.to - piece.from
  }

  /** Moves the gap past the next piece, or past its part before an offset. */
  private stepOn(at: number): void {
    this.moves++
    const piece = this.behind.pop() as Piece
    const middle = Math.min(piece.to, piece.from + at - this.position)
    this.before.push({ from: piece.from, to: middle })
    if (middle < piece.to) this.behind.push({ from: middle, to: piece.to })
    this.position += middle - piece.from
  }
}
