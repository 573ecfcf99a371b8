import type { Attributes } from '../../epub/conversion.ts'
import { FormatError } from '../../format.ts'
import { readXmlEvents } from './xml-events.ts'
import { pushReversed } from './push-reversed.ts'

/** An element of an office file, with prefixed names. */
export interface XmlNode {
  name: string
  attributes: Attributes
  children: (XmlNode | string)[]
}

/** Maximum number of elements of one paragraph or table; each takes about 200 bytes until it is written. */
const maxBlockNodes = 2_000_000

/**
 * Passes on the direct children of `container` one at a time, so that only one of them is in memory. Throws `TOO_DEEP`
 * and `TOO_LARGE`.
 */
export function readXmlBlocks(source: string, container: string, onBlock: (block: XmlNode) => void): void {
  const open: XmlNode[] = []
  let inside = 0
  let nodeCount = 0
  readXmlEvents(source, {
    open(name, attributes) {
      if (inside === 0) {
        if (name === container) inside = 1
        return
      }
      if (open.length === 0 && name === container) {
        inside++
        return
      }
      if (++nodeCount > maxBlockNodes)
        throw new FormatError('TOO_LARGE', `more than ${maxBlockNodes} elements in one block`)
      const node: XmlNode = { name, attributes, children: [] }
      open.at(-1)?.children.push(node)
      open.push(node)
    },
    close(name) {
      if (open.length === 0) {
        if (inside > 0 && name === container) inside--
        return
      }
      const node = open.pop()
      if (open.length > 0 || node === undefined) return
      nodeCount = 0
      onBlock(node)
    },
    text: (text) => {
      open.at(-1)?.children.push(text)
    },
  })
}

/** The first direct child with that name. */
export function findChild(node: XmlNode | undefined, name: string): XmlNode | undefined {
  return childNodes(node).find((child) => child.name === name)
}

/** The direct children of a node. */
export function childNodes(node: XmlNode | undefined): XmlNode[] {
  return node?.children.filter((child) => typeof child === 'object') ?? []
}

/** The first descendant with that name. */
export function findDescendant(node: XmlNode, name: string): XmlNode | undefined {
  const waiting = childNodes(node).reverse()
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.name === name) return next
    pushReversed(waiting, childNodes(next))
  }
  return undefined
}

/** The concatenated text of a node. */
export function nodeText(node: XmlNode): string {
  let text = ''
  const waiting: (XmlNode | string)[] = [node]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') text += next
    else pushReversed(waiting, next.children)
  }
  return text
}
