import { frontMatterEnd } from '../../text/markdown/front-matter.ts'

/** What is said of a book before its text. */
export interface BookFacts {
  title: string
  author: string | null
  language: string | null
}

/** Fields of a text's own front matter that the ones of the book replace. */
const replaced = /^(?:title|author|authors|creator|lang|language)\s*:/i

/**
 * The front matter of an exported book (YAML): title, author and language as the book has them, then the other fields of the
 * front matter that its text begins with. Returns it with the length of the latter.
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

/** A double-quoted scalar of YAML 1.2, on one line. */
function quote(value: string): string {
  return `"${value.replace(/\s+/g, ' ').replace(/[\\"]/g, '\\$&')}"`
}

function otherLines(frontMatter: string): string[] {
  const inner = frontMatter.split(/\r?\n/).slice(1, -2)
  let isReplaced = false
  return inner.filter((line) => {
    // A field goes on in indented lines, list entries and blank lines.
    if (!/^(?:[ \t]|-[ \t]|$)/.test(line)) isReplaced = replaced.test(line)
    return !isReplaced
  })
}
