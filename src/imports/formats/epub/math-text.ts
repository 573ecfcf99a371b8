/** What separates or surrounds the children of a MathML element when it is written on one line. */
const infixes: Readonly<Record<string, readonly string[]>> = {
  msup: ['', '^'],
  msub: ['', '_'],
  mover: ['', '^'],
  munder: ['', '_'],
  msubsup: ['', '_', '^'],
  munderover: ['', '_', '^'],
  mfrac: ['(', ')/('],
  msqrt: ['√('],
  mroot: ['√(', ')^'],
}
const suffixes: Readonly<Record<string, string>> = { mfrac: ')', msqrt: ')', mtd: ' ', mtr: '; ' }
const spaced = /^[=<>+\-−±×÷≤≥≠≈≡→∈∪∩∧∨⇒⇔]$/u

/** Writes presentation MathML (MathML Core, section 3) as one line of text. */
export class MathText {
  private readonly open: { name: string; children: number; after: string }[] = []

  /** The text that the start of an element adds. */
  enter(name: string): string {
    const parent = this.open.at(-1)
    const position = parent === undefined ? 0 : parent.children++
    const infix = parent === undefined ? '' : (infixes[parent.name]?.[position] ?? '')
    const braced = name === 'mrow' && (infix === '^' || infix === '_')
    this.open.push({ name, children: 0, after: braced ? '}' : (suffixes[name] ?? '') })
    return braced ? `${infix}{` : infix
  }

  /** The text of a token element. */
  text(source: string): string {
    const text = source.trim()
    return this.open.at(-1)?.name === 'mo' && spaced.test(text) ? ` ${text} ` : text.replace(/[\u2061-\u2064]/g, '')
  }

  /** The text that the end of an element adds. */
  leave(): string {
    return this.open.pop()?.after ?? ''
  }
}
