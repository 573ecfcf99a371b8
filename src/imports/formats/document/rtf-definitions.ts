import type { RtfDocument } from './rtf-document.ts'
import { RtfFonts } from './rtf-fonts.ts'

/** The fonts, styles and lists that the tables at the start of a file define. */
export class RtfDefinitions {
  readonly fonts = new RtfFonts()
  private readonly document: RtfDocument
  /** Numbering formats of the levels of each list, by list id (`\listid`). */
  private readonly listLevels = new Map<number, number[]>()
  private levels: number[] = []
  private listId = 0
  private style = { outline: null as number | null }

  constructor(document: RtfDocument) {
    this.document = document
  }

  /** Handles a control word in a table. */
  define(word: string, value: number, codePage: number): void {
    this.fonts.define(word, value, codePage)
    if (word === 'outlinelevel') this.style.outline = value
    else if (word === 'levelnfc') this.levels.push(value)
    else if (word === 'listid') this.listId = value
    else if (word === 'ls') this.document.lists.set(value, this.listLevels.get(this.listId) ?? [])
  }

  /** Begins a list; call the returned function at its end. */
  beginList(): () => void {
    this.levels = []
    this.listId = 0
    return () => this.listLevels.set(this.listId, this.levels)
  }

  /** Begins a list override (the use of a list under another id). */
  beginOverride(): void {
    this.listId = 0
  }

  /** Begins a style; call the returned function with its name at its end. */
  beginStyle(id: number): (name: string) => void {
    const style = { outline: null }
    this.style = style
    return (name) => {
      this.document.styles.set(id, { name: name.replace(/;\s*$/, '').trim(), outline: style.outline })
    }
  }
}
