import { isLinkStart, withoutLinks } from './page-links.ts'

const special = /[\\`*_<[\]&~]/

/**
 * Escapes only the characters of plain text that Markdown would read as markup, so that words stay searchable. `before`
 * is the character that precedes the text.
 */
export function escapeText(text: string, before: string): string {
  return escapeAfter(before, special.test(text) ? escapeSpecial(text, before) : text)
}

/** Escapes the parenthesis at the start of a text that would make the brackets before it a link, such as those of a note reference. */
export function escapeAfter(before: string, text: string): string {
  return before === ']' && text.startsWith('(') ? `\\${text}` : text
}

function escapeSpecial(text: string, before: string): string {
  return text
    .replace(/\\(?=[!-/:-@[-`{-~]|$)/g, '\\\\')
    .replace(/`/g, '\\`')
    .replace(/(?<!\s)\*|\*(?!\s)/g, '\\*')
    .replace(/_+/g, (run, at: number, all: string) =>
      isPlainUnderscore(all[at - 1] ?? before, all[at + run.length]) ? run : run.replaceAll('_', '\\_'),
    )
    .replace(/<(?=[a-z/!?])/gi, '\\<')
    .replace(/\](?=[([])/g, '\\]')
    .replace(/\[(?=\^)/g, '\\[')
    .replace(/&(?=#?\w{1,32};)/g, '\\&')
    .replace(/~~/g, '\\~\\~')
}

/** An underscore after a letter or digit, or between white space, does not open emphasis, so it needs no escape. */
function isPlainUnderscore(before: string, after: string | undefined): boolean {
  return /[\p{L}\p{N}]/u.test(before) || (before.trim() === '' && after?.trim() === '')
}

/** Escapes the starts of lines that would open another kind of block. */
export function escapeLineStarts(text: string): string {
  return text.includes('\n') ? text.split('\n').map(escapeLineStart).join('\n') : escapeLineStart(text)
}

function escapeLineStart(line: string): string {
  if (isLinkStart(line)) return escapeLinkedStart(line)
  // Nearly all lines start with a letter.
  if (!/^[\d#>+\-*=~[_|]/.test(line)) return line
  if (
    /^(?:#{1,6}(?:\s|$)|>|[-+](?:\s|$)|\*\s|={1,}\s*$|-{2,}\s*$|~{3,}|\[[^\]]+\]:|([-_*])\s*(?:\1\s*){2,}$|\|)/.test(
      line,
    )
  )
    return `\\${line}`
  return line.replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2')
}

/** Escapes a line that begins with a link to a page, as it would be escaped without the link. */
function escapeLinkedStart(line: string): string {
  const text = withoutLinks(line)
  const escaped = escapeLineStart(text)
  if (escaped === text) return line
  // In a link, this bracket would need its counterpart.
  if (text.startsWith('[')) return escaped
  let length = 0
  while (text[length] === escaped[length]) length++
  let at = 1
  while (withoutLinks(line.slice(0, at + 1)).length <= length) at++
  return `${line.slice(0, at)}\\${line.slice(at)}`
}
