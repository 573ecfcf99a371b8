import { elementsOf, type MarkupElement } from './markup-tree.ts'

const mainSelectors: readonly ((element: MarkupElement) => boolean)[] = [
  ({ name, attributes }) => name === 'main' || attributes['role'] === 'main',
  ({ name }) => name === 'article',
  ({ attributes }) =>
    /^(?:content|main|main-?content|article|post|story|bodyContent|mw-content-text)$/i.test(attributes['id'] ?? ''),
  ({ attributes }) => /(?:^|\s)(?:article|post|entry)-?(?:content|body|text)(?:\s|$)/i.test(attributes['class'] ?? ''),
]

/** Number of text characters outside links. */
export function wordsOf({ textLength, linkLength }: MarkupElement): number {
  return textLength - linkLength
}

/**
 * The element with the main text of a page: a `main` or `article` that has most of the words outside links, and beside which there is no
 * other such element with a text of its own; otherwise the body, or the whole page if it has text outside its body.
 */
export function findMain(root: MarkupElement): MarkupElement {
  const elements = [...elementsOf(root)]
  const body = bodyOf(root, elements)
  for (const isMain of mainSelectors) {
    const [first, ...others] = elements.filter(isMain).sort((one, other) => wordsOf(other) - wordsOf(one))
    if (first === undefined || wordsOf(first) <= wordsOf(body) * 0.5) continue
    const inside = new Set(elementsOf(first))
    const isOnlyText = others.every((other) => inside.has(other) || isBesideText(other))
    if (isOnlyText) return first
  }
  return body
}

/** The maximum length of the summary of another page, in characters. */
const maxSummaryLength = 1_000

/** True for an article that does not belong to the text of a page: the summary of another page, or a comment of a reader. */
function isBesideText(article: MarkupElement): boolean {
  const { attributes } = article
  return (
    wordsOf(article) < maxSummaryLength || /comment/i.test(`${attributes['class'] ?? ''} ${attributes['id'] ?? ''}`)
  )
}

function bodyOf(root: MarkupElement, elements: readonly MarkupElement[]): MarkupElement {
  const body = elements.find(({ name }) => name === 'body')
  // Browsers also show what follows the end of the body.
  return body === undefined || hasTextBeside(body, root) ? root : body
}

/** True if a page has text outside its body, head and title. */
function hasTextBeside(body: MarkupElement, { children }: MarkupElement): boolean {
  return children.some((child) => {
    if (typeof child === 'string') return child.trim() !== ''
    if (child.name === 'html') return hasTextBeside(body, child)
    return child !== body && child.name !== 'head' && child.name !== 'title' && child.textLength > 0
  })
}

const pictures = /^(?:img|svg|object|math)$/
const withoutText = /^(?:head|script|style|template)$/

/** True if something is left of an element, text or a picture, without the elements that `isLeftOut` names. */
export function hasContent(element: MarkupElement, isLeftOut: (child: MarkupElement) => boolean): boolean {
  const waiting = [element]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (withoutText.test(next.name) || isLeftOut(next)) continue
    if (pictures.test(next.name)) return true
    for (const child of next.children) {
      if (typeof child !== 'string') waiting.push(child)
      else if (child.trim() !== '') return true
    }
  }
  return false
}

/** Elements that leave the head open: HTML standard, "in head" insertion mode. */
const headElements = /^(?:base|basefont|bgsound|link|meta|title|noscript|noframes|style|script|template)$/

/** Ends the head of a page before its first text or element of the body, for pages that do not close it. */
export function endHead(root: MarkupElement): void {
  for (const parent of elementsOf(root)) {
    const at = parent.children.findIndex((child) => typeof child === 'object' && child.name === 'head')
    const head = parent.children[at]
    if (typeof head !== 'object') continue
    const end = head.children.findIndex((child) =>
      typeof child === 'string' ? child.trim() !== '' : !headElements.test(child.name),
    )
    if (end < 0) return
    const moved = head.children.splice(end)
    parent.children = [...parent.children.slice(0, at + 1), ...moved, ...parent.children.slice(at + 1)]
    head.textLength = sumOf(head.children, 'textLength')
    head.linkLength = sumOf(head.children, 'linkLength')
    return
  }
}

function sumOf(children: MarkupElement['children'], length: 'textLength' | 'linkLength'): number {
  return children.reduce((sum, child) => sum + (typeof child === 'object' ? child[length] : 0), 0)
}
