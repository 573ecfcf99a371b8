import { maxBlockLength, type Block } from './blocks.ts'

/** Longer notes stay where they stand, in UTF-16 units. */
const maxNoteLength = 2_000
/** So much of notes is put onto one page; what is more follows at the end. */
const maxNotesLength = 4_000

const marker = /^\[\^([^\]]{1,60})\]: $/
const reference = /\[\^([^\]\s]{1,60})\]/g

/** The notes of a text, which go to the pages of their references, so that every page can be read by itself. */
export class NotePlaces {
  /** The text without the notes that are moved. */
  readonly text: readonly Block[]
  private readonly notes: Map<string, Block[]>

  constructor(blocks: readonly Block[]) {
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

  /** How long the notes are that a block refers to first, in UTF-16 units. */
  lengthFor(block: Block): number {
    if (this.notes.size === 0) return 0
    const labels = new Set(labelsIn(block))
    return Math.min(
      maxNotesLength,
      [...labels].reduce((sum, label) => sum + lengthOf(this.notes.get(label) ?? []), 0),
    )
  }

  /** The notes of a page that have room on it. Each is given out once. */
  take(page: readonly Block[]): Block[] {
    const notes: Block[] = []
    if (this.notes.size === 0) return notes
    let size = 0
    for (const label of page.flatMap(labelsIn)) {
      const parts = this.notes.get(label)
      const length = lengthOf(parts ?? [])
      if (parts === undefined || size + length > maxNotesLength) continue
      this.notes.delete(label)
      size += length
      notes.push(...parts)
    }
    return notes
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

function labelsIn({ kind, head, body }: Block): string[] {
  if (kind === 'fence' || !(body.includes('[^') || head.includes('[^'))) return []
  return Array.from(`${head}\n${body}`.matchAll(reference), ([, label = '']) => label)
}

function lengthOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + maxBlockLength(block), 0)
}
