/**
 * True if a text has at most `max` characters (code points). It does not count those of a longer text: that of a whole
 * body would hold up everybody else for as long as a second.
 */
export function hasAtMost(text: string, max: number): boolean {
  return text.length <= max || (text.length <= 2 * max && [...text].length <= max)
}
