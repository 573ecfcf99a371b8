import { elementsOf, textOfSmall, type MarkupElement } from './markup-tree.ts'

const heading = /^h[1-6]$/
const headingOrCode = /^(?:h[1-6]|pre)$/

/**
 * Prepares the links of headings and listings. Removes links to their own place: the signs of headings, such as `§` and
 * `#`, and the numbers of lines of code. Returns the headings whose text is a link within the page, and these links:
 * some programs link a heading to itself or to the table of contents, with a class that suggests navigation.
 */
export function prepareHeadings(root: MarkupElement): ReadonlySet<MarkupElement> {
  const linked = new Set<MarkupElement>()
  for (const { element, outer } of withOuter(root)) {
    if (element.children.some(isLink))
      element.children = element.children.filter((child) => !isLink(child) || !isMark(child, outer))
    const { attributes } = element
    if (!isLink(element) || outer.name === 'pre' || !attributes['href']?.includes('#')) continue
    if (element.textLength <= outer.textLength * 0.5) continue
    linked.add(outer).add(element)
    const { id } = outer.attributes
    if (id !== undefined && isSelfLink(element, outer)) element.attributes = { ...attributes, href: `#${id}` }
  }
  return linked
}

/** Every element of headings and listings, with the outermost of these that is it or contains it. */
function* withOuter(root: MarkupElement): Generator<{ element: MarkupElement; outer: MarkupElement }> {
  const done = new Set<MarkupElement>()
  for (const outer of elementsOf(root)) {
    if (!headingOrCode.test(outer.name) || done.has(outer)) continue
    for (const element of elementsOf(outer)) {
      if (element !== outer && headingOrCode.test(element.name)) done.add(element)
      yield { element, outer }
    }
  }
}

function isLink(child: MarkupElement | string): child is MarkupElement {
  return typeof child === 'object' && child.name === 'a'
}

/** True for the number of a line of code, and for the sign of a heading, if it is a link to itself. */
function isMark(link: MarkupElement, outer: MarkupElement): boolean {
  if (!isSelfLink(link, outer)) return false
  const text = textOfSmall(link)
  if (text === null) return false
  return outer.name === 'pre' ? /^\d+$/.test(text) : !/[\p{L}\p{N}]/u.test(text)
}

/** True for a link whose address is its own id, or that of the heading around it. */
function isSelfLink({ attributes }: MarkupElement, outer: MarkupElement): boolean {
  const { href = '', id, name } = attributes
  const at = href.indexOf('#')
  const target = at < 0 ? '' : href.slice(at + 1)
  return target !== '' && (target === id || target === name || target === outer.attributes['id'])
}

/** Makes divisions of bulleted lists of which each item begins with a heading, as in Javadoc: they are the layout of a page. */
export function openLayoutLists(root: MarkupElement): void {
  for (const element of elementsOf(root)) {
    if (element.name !== 'ul') continue
    const items = element.children.filter((child) => typeof child === 'object')
    if (items.length === 0 || !items.every((item) => item.name === 'li' && beginsWithHeading(item))) continue
    for (const part of [element, ...items]) part.name = 'div'
  }
}

/** True if the first text in an element is that of a heading, directly or in sections. */
function beginsWithHeading({ children }: MarkupElement): boolean {
  for (let waiting = children; ;) {
    const first = waiting.find((child) => (typeof child === 'string' ? child.trim() !== '' : child.textLength > 0))
    if (typeof first !== 'object') return false
    if (heading.test(first.name)) return true
    if (first.name !== 'section' && first.name !== 'article') return false
    waiting = first.children
  }
}
