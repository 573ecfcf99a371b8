import type { RtfDocument, RtfListLevel } from './rtf-document.ts'
import { RtfFonts } from './rtf-fonts.ts'

/** The fonts, styles and lists that the tables at the start of a file define. */
export class RtfDefinitions {
  readonly fonts = new RtfFonts()
  private readonly document: RtfDocument
  /** The levels of each list, by list id (`\listid`). */
  private readonly listLevels = new Map<number, RtfListLevel[]>()
  private levels: RtfListLevel[] = []
  private listId = 0
  private style = { outline: null as number | null }

  constructor(document: RtfDocument) {
    this.document = document
  }

  /** Handles a control word in a table. */
  define(word: string, value: number, codePage: number): void {
    this.fonts.define(word, value, codePage)
    if (word === 'outlinelevel') this.style.outline = value
    else if (word === 'levelnfc') this.levels.push({ format: value, start: 1, pattern: '%.' })
    else if (word === 'levelstartat') this.startLevel(value)
    else if (word === 'listid') this.listId = value
    else if (word === 'ls') this.document.lists.set(value, this.listLevels.get(this.listId) ?? [])
  }

  private startLevel(start: number): void {
    const level = this.levels.at(-1)
    if (level !== undefined) level.start = start
  }

  /** Defines the label of the last level: its length, then its characters; control characters stand for numbers of levels. */
  labelLevel(text: string): void {
    const level = this.levels.at(-1)
    if (level === undefined) return
    const label = text.slice(1, 1 + text.charCodeAt(0))
    level.pattern = label.replace(String.fromCharCode(this.levels.length - 1), '%')
  }

  /** Begins a list; call the returned function at its end. */
  beginList(): () => void {
    this.levels = []
    this.listId = 0
    return () => this.listLevels.set(this.listId, this.levels)
  }

  /** Begins a list override (the use of a list under another id). */
  beginOverride(): void {
    this.levels = []
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
