import createMarkdownIt from 'markdown-it'

const parser = new createMarkdownIt({ html: false })

/** Counts the paragraphs in which a Markdown parser shows asterisks of emphasis, or two backticks within code. */
export function countStrayMarks(markdown: string): number {
  // Escaped characters are those of the text. They are punctuation, as their replacement is.
  const unescaped = markdown.replaceAll(/\\([*_`\\])/g, '%')
  return parser
    .parse(unescaped, {})
    .filter(({ children }) =>
      children?.some(
        ({ type, content }) =>
          (type === 'text' && /\S\*|\*\S/.test(content)) || (type === 'code_inline' && /[^`]``[^`]/.test(content)),
      ),
    ).length
}
