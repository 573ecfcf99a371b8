const characters: Record<string, string> = {
  '\\': '\\(rs',
  "'": '\\(aq',
  '"': '\\(dq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  '-': '\\-',
  '…': '...',
}

/**
 * Converts a text to the language of manual pages (groff_man(7)). Every hyphen becomes a minus sign, so that options
 * can be copied.
 */
export function roff(text: string): string {
  return protectLines(escape(text))
}

/** Converts a line of Markdown: code and bold text become bold, links are reduced to their text. */
export function roffOfMarkdown(markdown: string): string {
  const line = markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\s*\n\s*/g, ' ')
    .split(/(`[^`]+`|\*\*[^*]+\*\*)/)
    .map((part, i) => (i % 2 === 0 ? escape(part) : bold(part.replaceAll(/^(?:`|\*\*)|(?:`|\*\*)$/g, ''))))
    .join('')
  return protectLines(line)
}

/** A text in bold within a line. */
export function bold(text: string): string {
  return `\\fB${escape(text)}\\fR`
}

function escape(text: string): string {
  return text
    .replaceAll(/[\\'"`^~…-]/g, (character) => characters[character] as string)
    .replaceAll(/[^\n -~]/gu, (character) => `\\[u${hexadecimal(character)}]`)
}

function hexadecimal(character: string): string {
  return (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')
}

/** Escapes a leading dot, which would be a request. */
function protectLines(text: string): string {
  return text.replaceAll(/^(?=\.)/gm, '\\&')
}

/** A paragraph with a term before it. */
export function tagged(term: string, text: string): string {
  return `.TP\n${term}\n${text}`
}
