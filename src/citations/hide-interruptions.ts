/** Takes no width, and the normal form leaves it out. */
const invisible = '\u2060'
const fenceLine = /^ {0,12}(?:`{3,}|~{3,})/
/** What may stand in the middle of a sentence: a note, a figure, a caption, rows of a table, the number of a page. */
const interruption =
  /^(?:\[\^[\p{L}\p{N}_.-]{1,20}\]:|[∗†‡§¶] ?\S|!\[|\||[-–— ]*\d{1,4}[-–— ]*$|\**(?:Fig(?:ure|\.)|FIG(?:URE|\.)|Table|TABLE|Tab\.|Abb(?:ildung|\.)|Tabelle|Tableau|Figura|Tabla|Tabela|Tabella|Рис\.|Таблица)\s*\p{N})/u
const otherMark = /^ {0,12}(?:#{1,6} |>|[-+*] |\d{1,9}[.)] |`{3,}|~{3,})/
/** A line that ends in the middle of a sentence: with a letter, a number, a comma, or a broken word. */
const goesOn = /[\p{L}\p{N},\-\u2010)\]`]$/u
const startsInside = /^\p{Ll}/u
/** Longer sequences of lines are no interruption of a sentence. */
const maxLines = 40

/**
 * A text of the same length without the notes, figures, tables and captions between two lines of one sentence, which a reader who
 * copies the sentence leaves out. Null if there is none.
 */
export function hideInterruptions(raw: string): string | null {
  if (!raw.includes('\n')) return null
  const lines = raw.split('\n')
  const hidden: number[] = []
  let open = -1
  let between: number[] = []
  let inFence = false
  for (const [index, line] of lines.entries()) {
    if (fenceLine.test(line)) inFence = !inFence
    if (line.trim() === '' && !inFence) continue
    if (!inFence && open >= 0 && interruption.test(line)) {
      between.push(index)
      continue
    }
    if (open >= 0 && between.length > 0 && between.length <= maxLines && startsInside.test(line))
      hidden.push(...between)
    between = []
    open = !inFence && goesOn.test(line.trimEnd()) && !otherMark.test(line) ? index : -1
  }
  if (hidden.length === 0) return null
  for (const index of hidden) lines[index] = invisible.repeat(lines[index]?.length ?? 0)
  return lines.join('\n')
}
