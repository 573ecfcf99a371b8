import { languageOf } from '../../epub/build-fence.ts'
import { elementsOf, textOfMarkup, textOfSmall, type MarkupElement } from './markup-tree.ts'

/** Numbers of lines by Pygments, Rouge, Hexo and Doxygen, in a column or in the lines. */
const lineNumber = /(?:^|\s)(?:line-?nos?|linenodiv|line-?numbers?|(?:rouge-)?gutter)(?:\s|$)/i

/** Maximum length of the numbers of a listing, in characters. */
const maxNumbers = 100_000

/**
 * Makes the listings of Doxygen preformatted, removes what is not part of the code (numbers of lines, names of
 * languages beside listings, and hidden lines), and separates versions of a listing in several languages.
 */
export function prepareListings(root: MarkupElement): void {
  for (const element of elementsOf(root)) {
    if (element.children.some(isListing)) {
      removeLanguageName(element)
      element.children = element.children.flatMap((child): MarkupElement['children'] =>
        isListing(child) ? versionsOf(child) : [child],
      )
    }
    if (element.children.some(isLineNumber)) removeLineNumbers(element)
    if (element.name === 'code') removeHiddenLines(element)
    if (!hasClass(element, 'fragment') || !element.children.some(isLine)) continue
    element.name = 'pre'
    keepLines(element)
  }
}

function isListing(child: MarkupElement | string): child is MarkupElement {
  return typeof child === 'object' && child.name === 'pre'
}

/** Removes the visible name of the language beside a listing that also names it for programs. */
function removeLanguageName(element: MarkupElement): void {
  const language = languageOf(element.attributes)?.toLowerCase()
  if (language === undefined) return
  element.children = element.children.filter(
    (child) => typeof child === 'string' || isListing(child) || textOfSmall(child)?.toLowerCase() !== language,
  )
}

/** The versions of a listing, if it consists of several pieces of code that each name their language. */
function versionsOf(listing: MarkupElement): MarkupElement[] {
  const codes = listing.children.filter((child) => typeof child === 'object' && child.name === 'code')
  const areNamed = codes.every((code) => typeof code === 'object' && languageOf(code.attributes) !== null)
  if (
    codes.length < 2 ||
    !areNamed ||
    listing.children.some((child) => typeof child === 'string' && child.trim() !== '')
  )
    return [listing]
  return codes.map((code) => ({ ...listing, children: [code] }))
}

/** Removes the lines of a listing of mdBook that are only there so that it can be compiled, unless it has no others. */
function removeHiddenLines(element: MarkupElement): void {
  const shown = element.children.filter((child) => typeof child === 'string' || child.attributes['class'] !== 'boring')
  if (shown.length === element.children.length) return
  if (shown.some((child) => typeof child === 'object' || child.trim() !== '')) element.children = shown
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
