/** An element of presentation MathML (MathML 3, chapter 3), with local names in lower case. */
export interface MathNode {
  name: string
  attributes: Readonly<Record<string, string>>
  children: MathNode[]
  /** Its direct text, with white space collapsed. */
  text: string
}

/** A new element. */
export function mathNode(name: string, children: MathNode[] = [], text = ''): MathNode {
  return { name, attributes: {}, children, text }
}

/** Converts an element to LaTeX. */
export type ToLatex = (node: MathNode) => string
