import { Parser } from 'htmlparser2'
import type { Attributes, ElementHandler } from '../../epub/conversion.ts'
import { FormatError } from '../../format.ts'
import { pushReversed } from '../markup/push-reversed.ts'

/** An element of a parsed page. */
export interface MarkupElement {
  name: string
  attributes: Attributes
  children: (MarkupElement | string)[]
  /** Number of text characters in it, without white space at the ends of its text nodes. */
  textLength: number
  /** Number of those that are in links. */
  linkLength: number
}

/** Maximum number of elements and texts of one page; each takes about 200 bytes. */
const maxNodes = 1_000_000
const maxDepth = 512

/** Parses an HTML page. Throws `TOO_LARGE` for more than a million nodes and `TOO_DEEP` for deep nesting. */
export function parseMarkup(source: string): MarkupElement {
  const root = newElement('', {})
  const open = [root]
  let nodeCount = 0
  let links = 0
  const count = (): void => {
    if (++nodeCount > maxNodes) throw new FormatError('TOO_LARGE', `more than ${maxNodes} nodes in one page`)
  }
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        count()
        if (open.length >= maxDepth) throw new FormatError('TOO_DEEP', `elements nested deeper than ${maxDepth}`)
        const element = newElement(name, attributes)
        open.at(-1)?.children.push(element)
        open.push(element)
        if (name === 'a') links++
      },
      ontext(text) {
        count()
        const parent = open.at(-1)
        parent?.children.push(text)
        if (parent === undefined || /^(?:script|style|noscript|template)$/.test(parent.name)) return
        const { length } = text.trim()
        parent.textLength += length
        if (links > 0) parent.linkLength += length
      },
      onclosetag() {
        const element = open.pop()
        if (element === undefined) return
        if (element.name === 'a') links--
        const parent = open.at(-1)
        if (parent === undefined) return
        parent.textLength += element.textLength
        parent.linkLength += element.linkLength
      },
    },
    { recognizeSelfClosing: true, recognizeCDATA: true },
  )
  parser.end(source)
  return root
}

/** An element without content. */
export function newElement(name: string, attributes: Attributes): MarkupElement {
  return { name, attributes, children: [], textLength: 0, linkLength: 0 }
}

/** Replays an element and its content as parser events, except for what `isLeftOut` excludes. */
export function replay(
  element: MarkupElement,
  handler: ElementHandler,
  isLeftOut: (child: MarkupElement) => boolean,
): void {
  const waiting: (MarkupElement | string | null)[] = [element]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next === null) handler.onclosetag()
    else if (typeof next === 'string') handler.ontext(next)
    else if (!isLeftOut(next)) {
      handler.onopentag(next.name, next.attributes, false)
      waiting.push(null)
      pushReversed(waiting, next.children)
    }
  }
}

/** Every element in document order. */
export function* elementsOf(root: MarkupElement): Generator<MarkupElement> {
  const waiting: MarkupElement[] = [root]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    yield next
    for (let at = next.children.length - 1; at >= 0; at--) {
      const child = next.children[at]
      if (typeof child === 'object') waiting.push(child)
    }
  }
}

/** The text of an element and its descendants, with white space collapsed. */
export function textOfMarkup(element: MarkupElement): string {
  const parts: string[] = []
  for (const { children } of elementsOf(element))
    for (const child of children) if (typeof child === 'string') parts.push(child)
  return parts.join(' ').replace(/\s+/g, ' ').trim()
}

/** Maximum size of the content of a small element: its parts, and the characters of each text. */
const small = { parts: 100, characters: 200 }

/**
 * The text of a small element, as `textOfMarkup`; null for a larger one. Elements that contain each other can be asked one
 * after the other, because each is given up soon.
 */
export function textOfSmall(element: MarkupElement): string | null {
  let parts = 0
  for (const { children } of elementsOf(element)) {
    parts += children.length
    const isLong = (child: MarkupElement | string) => typeof child === 'string' && child.length > small.characters
    if (parts > small.parts || children.some(isLong)) return null
  }
  return textOfMarkup(element)
}
