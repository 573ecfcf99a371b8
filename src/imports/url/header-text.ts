/**
 * The text of a header field that Node has decoded as Latin-1. Servers often send UTF-8, so it is decoded as UTF-8 if it
 * is valid.
 */
export function headerText(value: string): string {
  const text = Buffer.from(value, 'latin1').toString('utf8')
  return text.includes('\ufffd') ? value : text
}
