import type { Attributes, ElementHandler } from '../../epub/conversion.ts'

/** Passes XHTML elements directly to their converter, without intermediate markup. */
export class ElementWriter {
  readonly handler: ElementHandler
  private readonly opened: string[] = []

  constructor(handler: ElementHandler) {
    this.handler = handler
  }

  /** The number of open elements. */
  get depth(): number {
    return this.opened.length
  }

  open(name: string, attributes: Attributes = {}): void {
    this.opened.push(name)
    this.handler.onopentag(name, attributes, false)
  }

  text(text: string): void {
    if (text !== '') this.handler.ontext(text)
  }

  close(): void {
    if (this.opened.pop() !== undefined) this.handler.onclosetag()
  }

  /** Closes elements until `depth` are open. */
  closeTo(depth: number): void {
    while (this.opened.length > depth) this.close()
  }

  /** Writes an element with a text. */
  element(name: string, text: string, attributes: Attributes = {}): void {
    this.open(name, attributes)
    this.text(text)
    this.close()
  }

  /** Writes an element without content. */
  empty(name: string, attributes: Attributes = {}): void {
    this.open(name, attributes)
    this.close()
  }
}
