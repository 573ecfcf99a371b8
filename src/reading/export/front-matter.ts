import { frontMatterEnd } from '../../text/markdown/front-matter.ts'

/** The metadata that precedes the text. */
export interface BookFacts {
  title: string
  author: string | null
  language: string | null
}

/** Front matter fields of a text that those of the book replace. */
const replaced = /^(?:title|author|authors|creator|lang|language)\s*:/i

/**
 * The front matter of an exported book (YAML): title, author and language of the book, then the other fields of the
 * front matter in its text. Also returns the length of the latter.
 */
export function frontMatterOf(facts: BookFacts, text: string): { frontMatter: string; replacedLength: number } {
  const end = frontMatterEnd(text)
  const fields = [
    ['title', facts.title],
    ['author', facts.author],
    ['language', facts.language],
  ].flatMap(([name, value]) => (value === null ? [] : [`${name}: ${quote(value as string)}`]))
  const lines = ['---', ...fields, ...otherLines(text.slice(0, end)), '---', '']
  return { frontMatter: lines.join('\n') + (end === 0 ? '\n' : ''), replacedLength: end }
}

/** Quotes a text as a double-quoted scalar of YAML 1.2, on one line. */
function quote(value: string): string {
  return `"${value.replace(/\s+/g, ' ').replace(/[\\"]/g, '\\$&')}"`
}

function otherLines(frontMatter: string): string[] {
  const inner = frontMatter.split(/\r?\n/).slice(1, -2)
  let isReplaced = false
  return inner.filter((line) => {
    // Indented lines, list entries and blank lines continue a field.
    if (!/^(?:[ \t]|-[ \t]|$)/.test(line)) isReplaced = replaced.test(line)
    return !isReplaced
  })
}
