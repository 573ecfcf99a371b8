import { readXmlBlocks, type XmlNode } from '../markup/xml-blocks.ts'

export type NoteKind = 'footnote' | 'endnote' | 'comment'

/** A note that the text has referred to. */
export interface MarkedNote {
  kind: NoteKind
  id: string
}

/** The notes of a Word document; each is parsed only when it is written. */
export class DocxNotes {
  private readonly sources: Record<NoteKind, ReadonlyMap<string, string>>
  /** The numbers of the notes that have been referred to. */
  private readonly numbers: Record<NoteKind, Map<string, number>> = {
    footnote: new Map(),
    endnote: new Map(),
    comment: new Map(),
  }
  private readonly waiting: Record<NoteKind, MarkedNote[]> = { footnote: [], endnote: [], comment: [] }

  /**
   * Takes the contents of `word/footnotes.xml`, `word/endnotes.xml` and `word/comments.xml`; empty if a file is
   * missing.
   */
  constructor(files: Record<NoteKind, string>) {
    this.sources = {
      footnote: findNotes(files.footnote, 'footnote'),
      endnote: findNotes(files.endnote, 'endnote'),
      comment: findNotes(files.comment, 'comment'),
    }
  }

  /** Returns the number that a reference displays. The first reference also schedules the note for writing. */
  mark(kind: NoteKind, id: string): string {
    const numbers = this.numbers[kind]
    if (!numbers.has(id)) {
      numbers.set(id, numbers.size + 1)
      this.waiting[kind].push({ kind, id })
    }
    return `${numbers.get(id)}`
  }

  /** The notes of a kind that have been referred to since the last call. */
  takeMarked(kind: NoteKind): MarkedNote[] {
    const marked = this.waiting[kind]
    this.waiting[kind] = []
    return marked
  }

  /** True if the file contains the note. */
  has({ kind, id }: MarkedNote): boolean {
    return this.sources[kind].has(id)
  }

  /** Parses a note and passes it to `onNote`; does nothing if it is unknown. */
  read({ kind, id }: MarkedNote, onNote: (note: XmlNode) => void): void {
    const source = this.sources[kind].get(id)
    if (source !== undefined) readXmlBlocks(`<notes>${source}</notes>`, 'notes', onNote)
  }
}

/** The source text of each note by its id, found in one pass. */
function findNotes(file: string, kind: NoteKind): Map<string, string> {
  const notes = new Map<string, string>()
  const [start, end] = [`<w:${kind} `, `</w:${kind}>`]
  for (let from = file.indexOf(start); from >= 0;) {
    const to = file.indexOf(end, from)
    if (to < 0) break
    const tagEnd = file.indexOf('>', from)
    const id = /\sw:id="([^"]{1,40})"/.exec(file.slice(from, Math.min(tagEnd, from + 1000)))?.[1]
    if (id !== undefined && !notes.has(id)) notes.set(id, file.slice(from, to + end.length))
    from = file.indexOf(start, to)
  }
  return notes
}
