import type { RtfDocument } from './rtf-document.ts'
import { RtfFonts } from './rtf-fonts.ts'

/** What the tables at the start of a file say of its fonts, styles and lists. */
export class RtfDefinitions {
  readonly fonts = new RtfFonts()
  private readonly document: RtfDocument
  /** Ids of lists (`\listid`) and how their levels are numbered. */
  private readonly listLevels = new Map<number, number[]>()
  private levels: number[] = []
  private listId = 0
  private style = { outline: null as number | null }

  constructor(document: RtfDocument) {
    this.document = document
  }

  /** A control word in a table. */
  define(word: string, value: number, codePage: number): void {
    this.fonts.define(word, value, codePage)
    if (word === 'outlinelevel') this.style.outline = value
    else if (word === 'levelnfc') this.levels.push(value)
    else if (word === 'listid') this.listId = value
    else if (word === 'ls') this.document.lists.set(value, this.listLevels.get(this.listId) ?? [])
  }

  /** Begins a list; what it returns is called at its end. */
  beginList(): () => void {
    this.levels = []
    this.listId = 0
    return () => this.listLevels.set(this.listId, this.levels)
  }

  /** Begins the use of a list in another one's place. */
  beginOverride(): void {
    this.listId = 0
  }

  /** Begins a style; what it returns is called with its name at its end. */
  beginStyle(id: number): (name: string) => void {
    const style = { outline: null }
    this.style = style
    return (name) => {
      this.document.styles.set(id, { name: name.replace(/;\s*$/, '').trim(), outline: style.outline })
    }
  }
}
