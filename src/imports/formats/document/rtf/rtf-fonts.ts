import { codePageOfCharset } from './rtf-code-pages.ts'

/** Names of monospaced font families. */
const fixedNames =
  /courier|consol|mono\b|monaco|menlo|typewriter|lucida sans typewriter|source code|fira code|inconsolata|andale|fixedsys|terminal/i
/** Character sets whose fonts are declared monospaced for other reasons. */
const wideCharsets: ReadonlySet<number> = new Set([128, 129, 130, 134, 136])

/** The fonts of a file (`\fonttbl`). */
export class RtfFonts {
  private readonly codePages = new Map<number, number>()
  private readonly fixed = new Set<number>()
  private order: number[] = []
  private isModern = false
  private charset = 0
  private font = 0
  private isOpen = false

  begin(): void {
    this.isOpen = true
    this.order = []
  }

  /** Handles a control word of a definition; ignores those of styles, which use fonts. */
  define(word: string, value: number, codePage: number): void {
    if (!this.isOpen) return
    if (word === 'f') {
      this.font = value
      this.order.push(value)
      this.isModern = false
      this.charset = 0
    } else if (word === 'fcharset') {
      this.codePages.set(this.font, codePageOfCharset(value) ?? codePage)
      this.charset = value
    } else if (word === 'fmodern') this.isModern = true
    else return
    if (this.isModern && !wideCharsets.has(this.charset)) this.fixed.add(this.font)
    else this.fixed.delete(this.font)
  }

  /** Assigns the names in the order of the definitions. */
  end(names: string): void {
    this.isOpen = false
    for (const [index, name] of names.split(';').entries()) {
      const font = this.order[index]
      if (font !== undefined && fixedNames.test(name)) this.fixed.add(font)
    }
  }

  codePageOf(font: number): number | undefined {
    return this.codePages.get(font)
  }

  /** True if a font is monospaced, like fonts for code. */
  isFixed(font: number): boolean {
    return this.fixed.has(font)
  }
}
