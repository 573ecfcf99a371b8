/** A range of bytes. */
export interface Piece {
  from: number
  to: number
}

/** Ranges one after the other, into which others are inserted; costs what lies between one insertion and the next. */
export class PieceList {
  /** How many pieces were passed. */
  moves = 0
  length: number
  /** The pieces before the last insertion's end, and those behind it, the next one last. */
  private readonly before: Piece[] = []
  private readonly behind: Piece[]
  private position = 0

  constructor(piece: Piece) {
    this.behind = [piece]
    this.length = piece.to - piece.from
  }

  /** Inserts a piece at a byte of the list, which is at most its length. */
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

  /** Passes the next piece, or its part before a byte. */
  private stepOn(at: number): void {
    this.moves++
    const piece = this.behind.pop() as Piece
    const middle = Math.min(piece.to, piece.from + at - this.position)
    this.before.push({ from: piece.from, to: middle })
    if (middle < piece.to) this.behind.push({ from: middle, to: piece.to })
    this.position += middle - piece.from
  }
}
