/** Word joiner: it has no width, and the normal form omits it. */
const invisible = '\u2060'
const fenceLine = /^ {0,12}(?:`{3,}|~{3,})/
/** Lines that may interrupt a sentence: a note, a figure, a caption, rows of a table, a page number. */
const interruption =
  /^(?:\[\^[\p{L}\p{N}_.-]{1,20}\]:|[∗†‡§¶] ?\S|!\[|\||[-–— ]*\d{1,4}[-–— ]*$|\**(?:Fig(?:ure|\.)|FIG(?:URE|\.)|Table|TABLE|Tab\.|Abb(?:ildung|\.)|Tabelle|Tableau|Figura|Tabla|Tabela|Tabella|Рис\.|Таблица)\s*\p{N})/u
const otherMark = /^ {0,12}(?:#{1,6} |>|[-+*] |\d{1,9}[.)] |`{3,}|~{3,})/
/** The end of a line that stops in the middle of a sentence: a letter, a number, a comma or a hyphenated word. */
const continues = /[\p{L}\p{N},\-\u2010)\]`]$/u
const continuation = /^\p{Ll}/u
/** Longer sequences of lines do not count as an interruption of a sentence. */
const maxLines = 40

/**
 * Returns a text of the same length in which the notes, figures, tables and captions between two lines of one sentence are invisible,
 * because readers leave them out when they copy the sentence. Null if there are none.
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
    if (open >= 0 && between.length > 0 && between.length <= maxLines && continuation.test(line))
      hidden.push(...between)
    between = []
    open = !inFence && continues.test(line.trimEnd()) && !otherMark.test(line) ? index : -1
  }
  if (hidden.length === 0) return null
  for (const index of hidden) lines[index] = invisible.repeat(lines[index]?.length ?? 0)
  return lines.join('\n')
}
