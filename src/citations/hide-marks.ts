/** Word joiner: it has no width, and the normal form omits it. */
const invisible = '\u2060'
/** The mark of a note, which may link to the page of the note. */
const noteMark =
  /^\[\^[\p{L}\p{N}_.-]{1,20}\]:?(?:\(page:\d{1,9}\))?|\[\^[\p{L}\p{N}_.-]{1,20}\](?:\(page:\d{1,9}\))?/gmu
const fenceLine = /^ {0,12}(`{3,}|~{3,})/
const numberedLine = /^( {0,5}\d{1,5})(?: {2}|$)/
/** The minimum share of numbered lines in a listing with line numbers. */
const minNumbered = 0.5

/**
 * Returns a text of the same length in which note marks are invisible and the line numbers of listings are blank, because readers may leave
 * them out when they copy a sentence. Null if the text has none.
 */
export function hideMarks(raw: string): string | null {
  const hasNotes = raw.includes('[^')
  const hasListings = raw.includes('```') || raw.includes('~~~')
  if (!hasNotes && !hasListings) return null
  const listed = hasListings ? hideLineNumbers(raw) : raw
  const bare = hasNotes ? listed.replace(noteMark, (mark) => invisible.repeat(mark.length)) : listed
  return bare === raw ? null : bare
}

function hideLineNumbers(raw: string): string {
  const lines = raw.split('\n')
  let opened = -1
  let fence = ''
  for (const [index, line] of lines.entries()) {
    const found = fenceLine.exec(line)?.[1] ?? ''
    if (found === '') continue
    if (opened < 0) {
      opened = index
      fence = found
    } else if (found.startsWith(fence)) {
      hideNumbers(lines, opened + 1, index)
      opened = -1
    }
  }
  return lines.join('\n')
}

/** Replaces the line numbers of a listing by spaces if most lines have one and the numbers ascend. */
function hideNumbers(lines: string[], from: number, to: number): void {
  const numbers = lines.slice(from, to).map((line) => numberedLine.exec(line)?.[1] ?? '')
  const numbered = numbers.filter((number) => number !== '').map(Number)
  if (numbered.length < 2 || numbered.length < (to - from) * minNumbered) return
  if (numbered.some((number, index) => index > 0 && number <= (numbered[index - 1] ?? 0))) return
  for (const [index, number] of numbers.entries()) {
    const line = lines[from + index] ?? ''
    lines[from + index] = ' '.repeat(number.length) + line.slice(number.length)
  }
}
