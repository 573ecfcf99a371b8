import type { ScannedBlock, ScannedFile } from './scan-notes.ts'

/** A note in a file. Offsets are in the source of the file. */
export interface FoundNote {
  /** The range that is removed from the file if the note is placed elsewhere. */
  from: number
  to: number
  /** The start offsets of its elements. */
  starts: number[]
  /** The text of the note. */
  pieces: [from: number, to: number][]
  /** The start of its text, including its number. */
  text: string
  /** Its list number. */
  ordinal: number | null
  isRow: boolean
  /** True if it consists of paragraphs, an item or a division. */
  isPlain: boolean
  /** True if the file marks it as a note. */
  isTyped: boolean
  /** The targets of its links, at most a few. */
  hrefs: string[]
}

/** Maximum length of a note that is moved, in UTF-16 units of source. */
const maxSourceLength = 24_000
const maxContinuation = 50
const noteNames = /^(?:p|div|li|d[dtl]|aside|tr|blockquote|section)$/
const numberOnly = /^[\s[({]*(?:\p{L}{1,12}\.?\s)?[\p{N}\p{P}\p{S}\s]{0,12}$/u
const beginsWithNumber = /^[\s[({]*(?:\d{1,5}[a-z]?(?=[\s\])}.:])|[*\u2020\u2021\u00A7\u00B6]{1,6})/u

/**
 * The note at an id: the paragraph, item or division that begins there. Null for a heading, and for a position within a
 * text.
 */
export function findNote(file: ScannedFile, id: string): FoundNote | null {
  const first = blockOf(file, id)
  if (first === null) return null
  const index = outermostBlock(file, first)
  const block = file.blocks[index] as ScannedBlock
  if (!noteNames.test(block.name) || block.isOther || (block.name === 'section' && !block.isNote)) return null
  if (block.name === 'dl' && !hasOneDefinition(file, index)) return null
  const parts = partsOf(file, index)
  const last = file.blocks[parts.at(-1) ?? index] as ScannedBlock
  const inside = file.blocks.slice(index, last.last + 1)
  const hasText = inside.every(({ name, hasPicture }) => !hasPicture && !/^h[1-6]$/.test(name))
  if (last.to - block.from > maxSourceLength || !hasText) return null
  return {
    from: block.from,
    to: last.to,
    starts: parts.map((part) => (file.blocks[part] as ScannedBlock).from),
    pieces: piecesOf(file, parts),
    text: last === block || !numberOnly.test(block.text) ? block.text : `${block.text} ${last.text}`,
    ordinal: block.ordinal,
    isRow: block.name === 'tr',
    isPlain: !/^(?:tr|d[dtl])$/.test(block.name),
    isTyped: inside.some(({ isNote, inNotes }) => isNote || inNotes),
    hrefs: inside.flatMap(({ hrefs }) => hrefs).slice(0, 40),
  }
}

/** The index of the block that begins at an id. */
function blockOf({ blocks, ids }: ScannedFile, id: string): number | null {
  const place = ids.get(id)
  if (place === undefined) return null
  const block = blocks[place.block] as ScannedBlock
  const isLeaf = block.last === place.block
  // An empty paragraph with the id precedes the paragraph of the note.
  if (isLeaf && block.text.trim() === '')
    return blocks[place.block + 1]?.parent === block.parent ? place.block + 1 : null
  if (place.inline === null) return place.block
  const next = isLeaf || block.name === 'li' ? -1 : firstFrom(blocks, place.inline.at + 1)
  if (next >= 0 && next <= block.last) return next
  return numberOnly.test(place.inline.before) ? place.block : null
}

/** The index of the first block that begins at or after an offset. */
function firstFrom(blocks: readonly ScannedBlock[], at: number): number {
  let [low, high] = [0, blocks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((blocks[middle] as ScannedBlock).from < at) low = middle + 1
    else high = middle
  }
  return low
}

/** The index of the block that is the whole note, given its first block. */
function outermostBlock({ blocks }: ScannedFile, first: number): number {
  let index = first
  for (let step = 0; step < 6; step++) {
    const block = blocks[index] as ScannedBlock
    const parent = blocks[block.parent]
    if (parent === undefined || block.name === 'li' || block.name === 'tr') return index
    const isCell = block.name === 'td' || block.name === 'th'
    if (isCell ? parent.name !== 'tr' : !isNoteAround(blocks, block)) return index
    index = block.parent
  }
  return index
}

/** True for a definition list with one term, as Calibre writes a note. */
function hasOneDefinition({ blocks }: ScannedFile, index: number): boolean {
  const { last } = blocks[index] as ScannedBlock
  return blocks.slice(index + 1, last + 1).filter(({ name, parent }) => name === 'dt' && parent === index).length === 1
}

function isNoteAround(blocks: readonly ScannedBlock[], block: ScannedBlock): boolean {
  const parent = blocks[block.parent] as ScannedBlock
  if (/^(?:li|dd|aside|td|th)$/.test(parent.name)) return parent.text.startsWith(block.text.slice(0, 20))
  if (parent.isNote && /^(?:div|section|p|blockquote)$/.test(parent.name)) return countNotes(blocks, block.parent) <= 1
  return false
}

/** Number of direct child blocks that begin like notes. */
function countNotes(blocks: readonly ScannedBlock[], parent: number): number {
  let count = 0
  const { last } = blocks[parent] as ScannedBlock
  for (let at = parent + 1, steps = 0; at <= last && steps < maxContinuation; steps++) {
    const block = blocks[at] as ScannedBlock
    if (beginsNote(block)) count++
    at = block.last + 1
  }
  return count
}

/**
 * The indexes of the blocks of a note: those between its first block and the next note; all of them if the first block
 * is only a number.
 */
function partsOf({ blocks }: ScannedFile, index: number): number[] {
  const block = blocks[index] as ScannedBlock
  const parts = [index]
  if (block.isNote || /^(?:d[dl]|li|tr)$/.test(block.name)) return parts
  const isBare = numberOnly.test(block.text)
  for (let at = block.last + 1; parts.length < maxContinuation;) {
    const next = blocks[at]
    const isSibling = next !== undefined && next.parent === block.parent
    if (block.name === 'dt') {
      if (!isSibling || next.name !== 'dd') return parts
    } else if (!isSibling || !continuationNames.test(next.name)) return isBare ? parts : [index]
    else if (beginsNote(next)) return parts
    parts.push(at)
    at = next.last + 1
  }
  return [index]
}

const continuationNames = /^(?:p|blockquote|ul|ol|div|pre|table)$/

function beginsNote({ text, hrefs, isNote, ordinal }: ScannedBlock): boolean {
  return isNote || ordinal !== null || (beginsWithNumber.test(text) && hrefs.length > 0)
}

function piecesOf({ blocks }: ScannedFile, [index = 0, ...others]: readonly number[]): FoundNote['pieces'] {
  const block = blocks[index] as ScannedBlock
  const rest = others.map((at) => blocks[at] as ScannedBlock)
  if (block.name === 'dt') return rest.map(({ textFrom, textTo }): [number, number] => [textFrom, textTo])
  if (block.name !== 'tr' && block.name !== 'dl')
    return [[block.textFrom, block.textTo], ...rest.map(({ from, to }): [number, number] => [from, to])]
  const cells: [number, number][] = []
  for (let at = index + 1; at <= block.last; at = (blocks[at] as ScannedBlock).last + 1) {
    const cell = blocks[at] as ScannedBlock
    if (!(numberOnly.test(cell.text) && cells.length === 0)) cells.push([cell.textFrom, cell.textTo])
  }
  return cells
}
