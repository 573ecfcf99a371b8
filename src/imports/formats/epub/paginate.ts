import { maxBlockLength, renderBlock } from './blocks.ts'
import type { Block, Anchor } from './blocks.ts'
import { maxNotesLength, NotePlaces, type MarkedNote, type NotesElsewhere } from './note-places.ts'
import { splitBlock } from './split-block.ts'

export interface PaginatedPage {
  content: string
  /** The element ids on the page. */
  ids: string[]
  /**
   * Printed page labels in the order in which they start, and whether the first one starts with the first word of the
   * page.
   */
  labels: string[]
  startsWithLabel: boolean
  /** The notes of other files on the page. */
  marked: MarkedNote[]
}

/** The target and maximum length of a page, in UTF-16 units. */
const targetPageLength = 3_000
const maxPageLength = 6_000

/** The parts of a file other than its blocks: the anchors after the last block, and notes of other files. */
export interface PageParts {
  trailingAnchors: readonly Anchor[]
  elsewhere?: NotesElsewhere
}

/**
 * Distributes the blocks of one file over pages. Breaks between blocks, before a heading if the page is half full, and
 * never after a heading. Notes go to the page of their first reference, and those of other files to each page that
 * refers to them.
 */
export function paginate(blocks: readonly Block[], { trailingAnchors, elsewhere }: PageParts): PaginatedPage[] {
  const pages: PaginatedPage[] = []
  const places = new NotePlaces(blocks, elsewhere)
  let page: Block[] = []
  let size = 0
  let known = new Set<string>()
  const closePage = (isLast = false): void => {
    let keptCount = page.length
    while (keptCount > 0 && page[keptCount - 1]?.kind === 'heading') keptCount--
    if (keptCount === 0 || isLast) keptCount = page.length
    const kept = page.slice(0, keptCount)
    pages.push(renderPage(kept, places.take(kept)))
    const rest = page.slice(keptCount)
    page = []
    size = 0
    known = new Set()
    for (const block of rest) addBlock(block)
  }
  const notesOf = (block: Block): number => places.lengthFor(block, known)
  const lengthOf = (block: Block): number => maxBlockLength(block) + Math.min(maxNotesLength, notesOf(block))
  const addBlock = (block: Block, length = lengthOf(block)): void => {
    page.push(block)
    size += length
    for (const label of places.labelsIn(block)) known.add(label)
  }
  const add = (block: Block): void => {
    const length = lengthOf(block)
    const halfFull = size >= targetPageLength / 2
    const exceedsTarget = size + length > targetPageLength
    const closes = page.length > 0 && halfFull && (exceedsTarget || block.kind === 'heading')
    if (closes) closePage()
    // Notes that were on the closed page count again on the new one.
    if (size + length <= maxPageLength) return addBlock(block, closes ? undefined : length)
    // A paragraph with many notes is split where the notes would fill a page.
    const limit = Math.max(300, Math.min(targetPageLength, (maxBlockLength(block) * targetPageLength) / notesOf(block)))
    for (const piece of splitBlock(block, Math.min(limit, Math.max(targetPageLength - size, 500)), limit)) {
      if (page.length > 0 && size + lengthOf(piece) > maxPageLength) closePage()
      addBlock(piece)
      if (size >= targetPageLength / 2) closePage()
    }
  }
  for (const block of places.text) add(block)
  if (page.length > 0) closePage(true)
  for (const block of places.takeAll()) add(block)
  if (page.length > 0) closePage(true)
  const last = pages.at(-1)
  for (const { kind, value } of trailingAnchors) last?.[kind === 'id' ? 'ids' : 'labels'].push(value)
  return pages
}

function renderPage(text: readonly Block[], { blocks: notes, marked }: ReturnType<NotePlaces['take']>): PaginatedPage {
  const blocks = [...text, ...notes]
  let content = ''
  for (const block of [...outdent(text), ...notes]) {
    if (content !== '') content += block.tight ? '\n' : '\n\n'
    content += renderBlock(block)
  }
  const anchors = blocks.flatMap((block) => block.anchors)
  const labels = anchors.filter(({ kind }) => kind === 'label')
  return {
    content,
    ids: anchors.filter(({ kind }) => kind === 'id').map(({ value }) => value),
    labels: labels.map(({ value }) => value),
    marked,
    startsWithLabel: labels[0]?.offset === 0 && blocks[0]?.anchors.includes(labels[0]) === true,
  }
}

/** Removes the common indentation of a page that starts inside a list, which would otherwise be read as code. */
function outdent(blocks: readonly Block[]): Block[] {
  let indent = Number.POSITIVE_INFINITY
  return blocks.map((block) => {
    indent = Math.min(indent, indentLength(block.firstLinePrefix), indentLength(block.linePrefix))
    return indent === 0
      ? block
      : { ...block, firstLinePrefix: block.firstLinePrefix.slice(indent), linePrefix: block.linePrefix.slice(indent) }
  })
}

function indentLength(text: string): number {
  return text.length - text.trimStart().length
}
