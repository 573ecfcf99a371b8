/** A control sequence, an operating system command (a link, a title), or a short sequence. */
const escapeSequence =
  // eslint-disable-next-line no-control-regex
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b\n]{0,2000}(?:\u0007|\u001b\\)?|[ -/]*[0-Z\\^-~])/g

/**
 * A text without the codes by which printers and terminals show emphasis: letters that are printed twice or underlined
 * with backspaces, as in the pages of `man`, and escape sequences (ECMA-48).
 */
export function withoutTerminalCodes(text: string): string {
  const visible = text.replace(escapeSequence, '')
  if (!visible.includes('\b')) return visible
  return visible.replace(/([^\n\b])[\b]_/gu, '$1').replace(/[^\n\b][\b]/gu, '')
}
