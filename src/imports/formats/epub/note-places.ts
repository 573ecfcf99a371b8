import { maxBlockLength, type Block } from './blocks.ts'
import type { FoundNote } from './find-note.ts'

/** Longer notes stay where they stand, in UTF-16 units. */
const maxNoteLength = 4_000
/** Pages are filled as if they had at most this length of notes, and have at most the other; what is more follows at the end, or stays in its file. */
export const maxNotesLength = 4_000
const maxPageNotes = 6_000

const marker = /^\[\^([^\]]{1,60})\]: $/
const reference = /\[\^([^\]\s]{1,60})\]/g

/** A note of another file that a file marks. */
export interface MarkedNote {
  path: string
  note: FoundNote
  /** What its mark shows. */
  shown: string
  blocks: readonly Block[]
}

/** Notes of other files that a text marks, by label. */
export interface NotesElsewhere {
  notes: ReadonlyMap<string, MarkedNote>
  /** Whether a note may go to one more page. */
  mayTake: (note: MarkedNote) => boolean
  /** Tells that it does. */
  take: (note: MarkedNote) => void
}

const nowhere: NotesElsewhere = { notes: new Map(), mayTake: () => false, take: () => undefined }

/** The notes of a text, which go to the pages of their references, so that every page can be read by itself. */
export class NotePlaces {
  /** The text without the notes that are moved. */
  readonly text: readonly Block[]
  private readonly notes: Map<string, Block[]>
  private readonly elsewhere: NotesElsewhere

  constructor(blocks: readonly Block[], elsewhere: NotesElsewhere = nowhere) {
    this.elsewhere = elsewhere
    const notes = findNotes(blocks)
    const isMoved = new Set<Block>()
    if (notes.size > 0) {
      const inNotes = new Set([...notes.values()].flat())
      for (const label of labelsBehindTheirs(blocks, inNotes)) notes.delete(label)
      const referenced = new Set(blocks.filter((block) => !inNotes.has(block)).flatMap(labelsIn))
      for (const [label, parts] of notes)
        if (!referenced.has(label) || lengthOf(parts) > maxNoteLength) notes.delete(label)
      for (const part of [...notes.values()].flat()) isMoved.add(part)
    }
    this.notes = notes
    this.text = isMoved.size === 0 ? blocks : blocks.filter((block) => !isMoved.has(block))
  }

  /** How long the notes are that a block refers to, in UTF-16 units, but for those that a page has: the labels in `known`. */
  lengthFor(block: Block, known: ReadonlySet<string>): number {
    if (this.notes.size === 0 && this.elsewhere.notes.size === 0) return 0
    const labels = new Set(labelsIn(block).filter((label) => !known.has(label)))
    return [...labels].reduce((sum, label) => sum + lengthOf(this.find(label) ?? []), 0)
  }

  /** The notes of a page that have room on it: those of this file once, those of others on each page that marks them. */
  take(page: readonly Block[]): { blocks: Block[]; marked: MarkedNote[] } {
    const taken: { blocks: Block[]; marked: MarkedNote[] } = { blocks: [], marked: [] }
    if (this.notes.size === 0 && this.elsewhere.notes.size === 0) return taken
    let size = 0
    const labels = new Set(page.flatMap(labelsIn))
    for (const label of labels) {
      const parts = this.find(label)
      const length = lengthOf(parts ?? [])
      if (parts === undefined || size + length > maxPageNotes) continue
      this.give(label, taken.marked)
      size += length
      taken.blocks.push(...parts)
      // Notes have marks as well.
      for (const inner of parts.flatMap(labelsIn)) labels.add(inner)
    }
    return taken
  }

  private find(label: string): readonly Block[] | undefined {
    const known = this.notes.get(label)
    if (known !== undefined) return known
    const note = this.elsewhere.notes.get(label)
    return note && lengthOf(note.blocks) <= maxNoteLength && this.elsewhere.mayTake(note) ? note.blocks : undefined
  }

  private give(label: string, taken: MarkedNote[]): void {
    if (this.notes.delete(label)) return
    const note = this.elsewhere.notes.get(label)
    if (note === undefined) return
    this.elsewhere.take(note)
    taken.push(note)
  }

  /** The notes that were not given out. */
  takeAll(): Block[] {
    const rest = [...this.notes.values()].flat()
    this.notes.clear()
    return rest
  }
}

/** The blocks of each note: the one with its label, and those behind it that are indented below it. */
function findNotes(blocks: readonly Block[]): Map<string, Block[]> {
  const notes = new Map<string, Block[]>()
  let note: Block[] | null = null
  for (const block of blocks) {
    const label = marker.exec(block.firstLinePrefix)?.[1]
    if (label !== undefined && !notes.has(label)) notes.set(label, (note = [block]))
    else if (label === undefined && note !== null && block.firstLinePrefix.startsWith('    ')) note.push(block)
    else note = null
  }
  return notes
}

/** The notes that stand behind the paragraph of their reference already, where they stay. */
function labelsBehindTheirs(blocks: readonly Block[], inNotes: ReadonlySet<Block>): string[] {
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

/** The labels of the notes to which a block refers. */
export function labelsIn(block: Block): readonly string[] {
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
