import type { Block } from './blocks.ts'
import { convertXhtml } from './convert-xhtml.ts'
import type { NoteLabels } from './note-labels.ts'
import type { PageLinks } from './page-links.ts'
import { trimNote } from './trim-note.ts'

interface NoteParts {
  /** The path of the file that contains the note. */
  path: string
  notes: NoteLabels
  links: PageLinks
  label: string
  /** The text that its reference displays. */
  shown: string
  /** True if its number is that of a list item. */
  isCounted: boolean
  /** True if an address is that of the reference. */
  isBack: (href: string) => boolean
  /** The labels of references inside the note, by the offsets of their tags. */
  marks: ReadonlyMap<number, string>
}

const noLabels: ReadonlyMap<string, string> = new Map()

/** Converts the XHTML of a note to the blocks of a Markdown note definition, without its number and back links. */
export function convertNote(
  source: string,
  { path, notes, links, label, shown, isCounted, isBack, marks }: NoteParts,
): Block[] {
  const { blocks } = convertXhtml(source, {
    path,
    labels: noLabels,
    notes,
    links,
    navigation: false,
    marks,
    note: { label, shown, isBack },
  })
  return trimNote(blocks, { shown, isCounted })
}
