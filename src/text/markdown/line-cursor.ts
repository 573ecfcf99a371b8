/**
 * A position in one line of Markdown that counts columns, so that a tab can be consumed in part (CommonMark 0.31,
 * section 2.2).
 */
export class LineCursor {
  /** Offset of the cursor in the text. */
  at = 0
  /** After `measure`: the offset of the next non-blank character, and its indentation in columns. */
  next = 0
  indent = 0
  private readonly text: string
  private end = 0
  private column = 0
  /** Remaining columns of a partly consumed tab. */
  private remainingTabColumns = 0

  constructor(text: string) {
    this.text = text
  }

  /** Starts the line between two offsets and measures its indentation. */
  begin(start: number, end: number): void {
    this.at = start
    this.end = end
    this.column = 0
    this.remainingTabColumns = 0
    this.measure()
  }

  /** Measures the indentation of the next non-blank character without moving. */
  measure(): void {
    let column = this.column + this.remainingTabColumns
    let next = this.at
    for (; next < this.end; next++) {
      const code = this.text.charCodeAt(next)
      if (code === 32) column++
      else if (code === 9) column += 4 - (column % 4)
      else break
    }
    this.next = next
    this.indent = column - this.column
  }

  /** Advances by a number of columns. */
  consume(columns: number): void {
    let remaining = columns
    while (remaining > 0) {
      if (this.remainingTabColumns === 0) {
        this.remainingTabColumns = this.text.charCodeAt(this.at) === 9 ? 4 - (this.column % 4) : 1
        this.at++
      }
      const taken = Math.min(remaining, this.remainingTabColumns)
      this.remainingTabColumns -= taken
      this.column += taken
      remaining -= taken
    }
  }
}
