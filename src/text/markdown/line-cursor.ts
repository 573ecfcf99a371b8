/** A place in one line of Markdown that counts columns, so that a tab may be taken in part (CommonMark 0.31, section 2.2). */
export class LineCursor {
  /** Offset of the cursor in the text. */
  at = 0
  /** After `measure`: the offset of the next character that is not blank, and by how many columns it is indented. */
  next = 0
  indent = 0
  private readonly text: string
  private end = 0
  private column = 0
  /** Columns left of a tab that was taken in part. */
  private remainingTabColumns = 0

  constructor(text: string) {
    this.text = text
  }

  /** Goes to the line between two offsets and measures its indentation. */
  begin(start: number, end: number): void {
    this.at = start
    this.end = end
    this.column = 0
    this.remainingTabColumns = 0
    this.measure()
  }

  /** Looks ahead, past spaces and tabs. */
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

  /** Moves on by a number of columns. */
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
