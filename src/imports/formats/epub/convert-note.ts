import type { Block } from './blocks.ts'
import { convertXhtml } from './convert-xhtml.ts'
import type { NoteLabels } from './note-labels.ts'
import { trimNote } from './trim-note.ts'

interface NoteParts {
  /** The path of the file that has the note. */
  path: string
  notes: NoteLabels
  label: string
  /** What the mark shows. */
  shown: string
  /** Whether its list counts it. */
  isCounted: boolean
  /** Whether an address is that of the mark. */
  isBack: (href: string) => boolean
  /** The labels of marks in the note, by the offsets of their tags. */
  marks: ReadonlyMap<number, string>
}

const none: ReadonlySet<string> = new Set()
const noLabels: ReadonlyMap<string, string> = new Map()
/** The blocks of a note, as a definition of Markdown, from the XHTML of its text: without its number and the ways back. */
export function convertNote(
  source: string,
  { path, notes, label, shown, isCounted, isBack, marks }: NoteParts,
): Block[] {
  const { blocks } = convertXhtml(source, {
    path,
    ids: none,
    labels: noLabels,
    notes,
    navigation: false,
    marks,
    note: { label, shown, isBack },
  })
  return trimNote(blocks, { shown, isCounted })
}
