import { elementsOf, textOfMarkup, type MarkupElement } from './markup-tree.ts'

/** Numbers of lines by Pygments, Rouge, Hexo and Doxygen, in a column or in the lines. */
const lineNumber = /(?:^|\s)(?:line-?nos?|linenodiv|line-?numbers?|(?:rouge-)?gutter)(?:\s|$)/i

/** Maximum length of the numbers of a listing, in characters. */
const maxNumbers = 100_000

/** Makes the listings of Doxygen preformatted, and removes the numbers of lines, which are not part of the code. */
export function prepareListings(root: MarkupElement): void {
  for (const element of elementsOf(root)) {
    if (element.children.some(isLineNumber)) removeLineNumbers(element)
    if (!hasClass(element, 'fragment') || !element.children.some(isLine)) continue
    element.name = 'pre'
    keepLines(element)
  }
}

function removeLineNumbers(element: MarkupElement): void {
  const { children } = element
  element.children = children.flatMap((child, at): MarkupElement['children'] => {
    if (isLineNumber(child)) return []
    // Doxygen separates the number from the line.
    const isAfter = typeof child === 'string' && isLineNumber(children[at - 1])
    return [isAfter ? child.replace(/^\u00A0/, '') : child]
  })
}

/** Ends each line of Doxygen, and removes white space between them and explanations that appear below the pointer. */
function keepLines(element: MarkupElement): void {
  element.children = element.children.filter((child) => typeof child !== 'string' && !hasClass(child, 'ttc'))
  for (const child of element.children) {
    if (typeof child === 'string') continue
    if (hasClass(child, 'foldopen')) keepLines(child)
    else child.children.push('\n')
  }
}

function isLine(child: MarkupElement | string): boolean {
  return typeof child !== 'string' && (hasClass(child, 'line') || hasClass(child, 'foldopen'))
}

function isLineNumber(child: MarkupElement | string | undefined): boolean {
  if (typeof child !== 'object' || !lineNumber.test(child.attributes['class'] ?? '')) return false
  return child.textLength <= maxNumbers && /^[\d\s]+$/.test(textOfMarkup(child))
}

function hasClass({ attributes }: MarkupElement, name: string): boolean {
  return attributes['class']?.split(/\s+/).includes(name) === true
}
