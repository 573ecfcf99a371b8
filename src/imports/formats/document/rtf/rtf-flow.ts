import type { RtfBlock, RtfInline, RtfParagraph } from './rtf-document.ts'

/** The control words for the line and the paragraph separator of Unicode, which Apple's programs write instead. */
const separators = new Map([
  ['\u2028', 'line'],
  ['\u2029', 'par'],
])

/** Collects the paragraphs and rows of a text: of the book, or of a note. */
export class RtfFlow {
  readonly blocks: RtfBlock[]
  private inlines: RtfInline[] = []
  private bookmarks: string[] = []
  private boxes: RtfBlock[] = []
  private label = ''
  /** The format of the current paragraph, which a group restores at its end. */
  format: ParagraphFormat = plainParagraph
  private isHeader = false
  private isUnderlined = false
  private blanks = 0
  private cell: RtfParagraph[] = []
  private cells: RtfParagraph[][] = []

  constructor(blocks: RtfBlock[]) {
    this.blocks = blocks
  }

  add(inline: RtfInline): void {
    const separator = inline.kind === 'text' ? separators.get(inline.text) : undefined
    if (separator !== undefined) return this.control(separator, null)
    const last = this.inlines.at(-1)
    if (inline.kind === 'text' && last?.kind === 'text' && last.format === inline.format && last.href === inline.href)
      last.text += inline.text
    else this.inlines.push(inline)
  }

  /** Adds a bookmark to the current paragraph. */
  addBookmark(name: string): void {
    if (name !== '') this.bookmarks.push(name.toWellFormed())
  }

  /** Adds a text box, which follows the current paragraph. */
  addBox(blocks: readonly RtfBlock[]): void {
    for (const block of blocks) this.boxes.push(block)
  }

  /** Sets the label of the current paragraph. */
  setLabel([block]: readonly RtfBlock[]): void {
    const inlines = block?.kind === 'paragraph' ? block.paragraph.inlines : []
    this.label = inlines.map((inline) => (inline.kind === 'text' ? inline.text : '')).join('')
  }

  /** Handles control words of paragraphs and tables; ignores others. */
  control(word: string, value: number | null): void {
    if (word === 'par' || word === 'sect' || word === 'page') this.endParagraph()
    else if (word === 'line') this.add({ kind: 'break' })
    else if (word === 'pard') this.format = plainParagraph
    else if (word === 's') this.change({ style: value ?? 0 })
    else if (word === 'outlinelevel') this.change({ outline: value })
    else if (word === 'li' || word === 'lin') this.change({ indent: value ?? 0 })
    else if (word === 'ri' || word === 'rin') this.change({ rightIndent: value ?? 0 })
    else if (word === 'fi') this.change({ firstIndent: value ?? 0 })
    else if (word === 'ls') this.change({ list: { list: value ?? 0, level: this.format.list?.level ?? 0 } })
    else if (word === 'ilvl') this.change({ list: { list: this.format.list?.list ?? 0, level: value ?? 0 } })
    else if (word === 'intbl') this.change({ isInTable: value !== 0 })
    else this.tableControl(word)
  }

  private tableControl(word: string): void {
    if (word === 'trowd') this.isHeader = this.isUnderlined = false
    else if (word === 'clbrdrb') this.isUnderlined = true
    else if (word === 'trhdr') this.isHeader = true
    else if (word === 'cell') this.endCell()
    else if (word === 'nestcell') this.endParagraph()
    else if (word === 'row') this.endRow()
  }

  private change(format: Partial<ParagraphFormat>): void {
    this.format = { ...this.format, ...format }
  }

  /** True if the current paragraph has text. */
  get hasText(): boolean {
    return this.inlines.some((inline) => inline.kind !== 'text' || inline.text.trim() !== '')
  }

  /** Ends the current paragraph, if any, and writes its text boxes. */
  endParagraph(): void {
    this.writeParagraph()
    const { boxes } = this
    if (boxes.length === 0) return
    this.boxes = []
    if (!this.format.isInTable) this.endRow()
    for (const box of boxes) {
      if (!this.format.isInTable) this.blocks.push(box)
      else for (const cell of box.kind === 'row' ? box.cells : [[box.paragraph]]) this.cell.push(...cell)
    }
  }

  private writeParagraph(): void {
    const { inlines, label } = this
    const { isInTable, ...properties } = this.format
    this.inlines = []
    this.label = ''
    if (!inlines.some((inline) => inline.kind !== 'text' || inline.text.trim() !== '')) {
      this.blanks++
      return
    }
    const paragraph = { ...properties, inlines, label, bookmarks: this.bookmarks, blanksBefore: this.blanks }
    this.bookmarks = []
    this.blanks = 0
    if (isInTable) this.cell.push(paragraph)
    else {
      this.endRow()
      this.blocks.push({ kind: 'paragraph', paragraph })
    }
  }

  /** Ends the text, with a table row that the file does not end. */
  end(): void {
    this.endParagraph()
    this.endRow()
  }

  private endCell(): void {
    this.change({ isInTable: true })
    this.endParagraph()
    this.cells.push(this.cell)
    this.cell = []
  }

  private endRow(): void {
    const { cells, cell, isHeader, isUnderlined } = this
    if (cell.length > 0) cells.push(cell)
    this.cell = []
    this.cells = []
    if (cells.length > 0) this.blocks.push({ kind: 'row', cells, isHeader, isUnderlined })
  }
}

/** What control words set for a paragraph. It is replaced and never changed. */
export interface ParagraphFormat extends Omit<RtfParagraph, 'inlines' | 'bookmarks' | 'label' | 'blanksBefore'> {
  readonly isInTable: boolean
}

const plainParagraph: ParagraphFormat = {
  style: 0,
  outline: null,
  list: null,
  indent: 0,
  rightIndent: 0,
  firstIndent: 0,
  isInTable: false,
}
