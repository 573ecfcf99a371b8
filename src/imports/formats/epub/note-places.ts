import { maxBlockLength, type Block } from './blocks.ts'
import type { FoundNote } from './find-note.ts'

/** Maximum length of a note that is moved, in UTF-16 units. */
const maxNoteLength = 4_000
/**
 * Pages are filled as if their notes had at most this length. A page takes notes of at most `maxPageNotes`; the rest
 * follows at the end, or stays in its file.
 */
export const maxNotesLength = 4_000
const maxPageNotes = 6_000

const marker = /^\[\^([^\]]{1,60})\]: $/
const reference = /\[\^([^\]\s]{1,60})\]/g

/** A note in another file that a file refers to. */
export interface MarkedNote {
  path: string
  note: FoundNote
  /** The displayed text of its reference. */
  shown: string
  blocks: readonly Block[]
}

/** Notes in other files that a text refers to, by label. */
export interface NotesElsewhere {
  notes: ReadonlyMap<string, MarkedNote>
  /** True if a note may be added to one more page. */
  canTake: (note: MarkedNote) => boolean
  /** Records that it was added. */
  take: (note: MarkedNote) => void
}

const nowhere: NotesElsewhere = { notes: new Map(), canTake: () => false, take: () => undefined }

/** Places the notes of a text on the pages of their references, so that every page can be read alone. */
export class NotePlaces {
  /** The text without the moved notes. */
  readonly text: readonly Block[]
  private readonly notes: Map<string, Block[]>
  private readonly elsewhere: NotesElsewhere

  constructor(blocks: readonly Block[], elsewhere: NotesElsewhere = nowhere) {
    this.elsewhere = elsewhere
    const notes = findNotes(blocks)
    const isMoved = new Set<Block>()
    if (notes.size > 0) {
      const inNotes = new Set([...notes.values()].flat())
      for (const label of labelsAfterTheirReferences(blocks, inNotes)) notes.delete(label)
      const referenced = new Set(blocks.filter((block) => !inNotes.has(block)).flatMap(labelsIn))
      for (const [label, parts] of notes)
        if (!referenced.has(label) || lengthOf(parts) > maxNoteLength) notes.delete(label)
      for (const part of [...notes.values()].flat()) isMoved.add(part)
    }
    this.notes = notes
    this.text = isMoved.size === 0 ? blocks : blocks.filter((block) => !isMoved.has(block))
  }

  /**
   * The length of the notes that a block refers to, in UTF-16 units, without those that are already on the page (the
   * labels in `known`).
   */
  lengthFor(block: Block, known: ReadonlySet<string>): number {
    if (this.isEmpty) return 0
    const labels = new Set(labelsIn(block).filter((label) => !known.has(label)))
    return [...labels].reduce((sum, label) => sum + lengthOf(this.find(label) ?? []), 0)
  }

  /**
   * Takes the notes for a page, as far as they fit: those of this file once, those of other files on each page that
   * refers to them.
   */
  take(page: readonly Block[]): { blocks: Block[]; marked: MarkedNote[] } {
    const taken: { blocks: Block[]; marked: MarkedNote[] } = { blocks: [], marked: [] }
    if (this.isEmpty) return taken
    let size = 0
    const labels = new Set(page.flatMap(labelsIn))
    for (const label of labels) {
      const parts = this.find(label)
      const length = lengthOf(parts ?? [])
      if (parts === undefined || size + length > maxPageNotes) continue
      this.give(label, taken.marked)
      size += length
      taken.blocks.push(...parts)
      // Notes can contain references, too.
      for (const inner of parts.flatMap(labelsIn)) labels.add(inner)
    }
    return taken
  }

  /** The labels of the notes that a block refers to; none if no note is left. */
  labelsIn(block: Block): readonly string[] {
    return this.isEmpty ? noLabels : labelsIn(block)
  }

  private get isEmpty(): boolean {
    return this.notes.size === 0 && this.elsewhere.notes.size === 0
  }

  private find(label: string): readonly Block[] | undefined {
    const known = this.notes.get(label)
    if (known !== undefined) return known
    const note = this.elsewhere.notes.get(label)
    return note && lengthOf(note.blocks) <= maxNoteLength && this.elsewhere.canTake(note) ? note.blocks : undefined
  }

  private give(label: string, taken: MarkedNote[]): void {
    if (this.notes.delete(label)) return
    const note = this.elsewhere.notes.get(label)
    if (note === undefined) return
    this.elsewhere.take(note)
    taken.push(note)
  }

  /** Takes all remaining notes. */
  takeAll(): Block[] {
    const rest = [...this.notes.values()].flat()
    this.notes.clear()
    return rest
  }
}

/** The blocks of each note: the one with its label and the following ones that are indented below it. */
function findNotes(blocks: readonly Block[]): Map<string, Block[]> {
  const notes = new Map<string, Block[]>()
  let note: Block[] | null = null
  for (const block of blocks) {
    const label = block.firstLinePrefix === '' ? undefined : marker.exec(block.firstLinePrefix)?.[1]
    if (label !== undefined && !notes.has(label)) notes.set(label, (note = [block]))
    else if (label === undefined && note !== null && block.firstLinePrefix.startsWith('    ')) note.push(block)
    else note = null
  }
  return notes
}

/** The labels of notes that already follow the paragraph of their reference and stay there. */
function labelsAfterTheirReferences(blocks: readonly Block[], inNotes: ReadonlySet<Block>): string[] {
  const found: string[] = []
  let before = new Set<string>()
  for (const block of blocks) {
    if (!inNotes.has(block)) before = new Set(labelsIn(block))
    const label = inNotes.has(block) ? marker.exec(block.firstLinePrefix)?.[1] : undefined
    if (label !== undefined && before.has(label)) found.push(label)
  }
  return found
}

const noLabels: readonly string[] = []
const knownLabels = new WeakMap<Block, readonly string[]>()

/** The labels of the notes that a block refers to. */
function labelsIn(block: Block): readonly string[] {
  const { kind, head, body } = block
  if (kind === 'fence' || !(body.includes('[^') || head.includes('[^'))) return noLabels
  const known = knownLabels.get(block)
  if (known !== undefined) return known
  const labels = Array.from(`${head}\n${body}`.matchAll(reference), ([, label = '']) => label)
  knownLabels.set(block, labels)
  return labels
}

function lengthOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + maxBlockLength(block), 0)
}
