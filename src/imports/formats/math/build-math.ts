import { mathNode, type MathNode } from './math-node.ts'

/** Maximum number of elements of one formula. Real formulas are far below it; a longer one becomes plain text. */
const maxNodes = 4_000

/** Builds the tree of a formula while its elements are parsed. */
export class MathBuilder {
  readonly root: MathNode
  private readonly open: MathNode[]
  private nodeCount = 0
  /** The text of all tokens, for a formula that is too long. */
  plainText = ''

  constructor(attributes: Readonly<Record<string, string>>) {
    this.root = { ...mathNode('math'), attributes }
    this.open = [this.root]
  }

  /** True if the formula has more elements than can be converted. */
  get isTooLong(): boolean {
    return this.nodeCount > maxNodes
  }

  enter(name: string, attributes: Readonly<Record<string, string>>): void {
    const node = { ...mathNode(localName(name)), attributes }
    if (++this.nodeCount <= maxNodes) this.open.at(-1)?.children.push(node)
    this.open.push(node)
  }

  text(source: string): void {
    const node = this.open.at(-1)
    if (node === undefined || this.open.length === 1) return
    node.text += source
    if (!node.name.startsWith('annotation')) this.plainText += source
  }

  leave(): void {
    if (this.open.length === 1) return
    const node = this.open.pop()
    if (node !== undefined && node.name !== 'annotation') node.text = node.text.replace(/[\s\u00A0]+/g, ' ')
    this.plainText += node?.name === 'mtd' || node?.name === 'mtr' ? ' ' : ''
  }
}

/** The name of an element without its namespace prefix, in lower case. */
export function localName(name: string): string {
  return name.slice(name.lastIndexOf(':') + 1).toLowerCase()
}
