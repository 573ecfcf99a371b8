import { maxBlockLength, renderBlock } from './blocks.ts'
import type { Block, Anchor } from './blocks.ts'
import { addressesLength } from './page-links.ts'
import { maxNotesLength, NotePlaces, type MarkedNote, type NotesElsewhere } from './note-places.ts'
import { splitBlock } from './split-block.ts'

export interface PaginatedPage {
  blocks: Block[]
  /** The element ids on the page. */
  ids: string[]
  /** The values of the anchors of its headings. */
  headings: string[]
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
    pages.push(buildPage(kept, places.take(kept)))
    const rest = page.slice(keptCount)
    page = []
    size = 0
    known = new Set()
    for (const block of rest) addBlock(block)
  }
  const notesOf = (block: Block): number => places.lengthFor(block, known)
  const lengthOf = (block: Block): number =>
    maxBlockLength(block) + addressesLength(block) + Math.min(maxNotesLength, notesOf(block))
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
    // The pieces of a paragraph with many notes or links are so short that these fit on the page, too.
    const textLength = maxBlockLength(block)
    const share = textLength / Math.max(textLength + addressesLength(block), notesOf(block))
    const limit = Math.max(300, targetPageLength * share)
    for (const piece of splitBlock(block, Math.min(limit, Math.max((targetPageLength - size) * share, 500)), limit)) {
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

function buildPage(text: readonly Block[], { blocks: notes, marked }: ReturnType<NotePlaces['take']>): PaginatedPage {
  const blocks = [...outdent(text), ...notes]
  const page: PaginatedPage = { blocks, ids: [], headings: [], labels: [], startsWithLabel: false, marked }
  const list = { id: page.ids, heading: page.headings, label: page.labels }
  for (const { anchors } of blocks) for (const { kind, value } of anchors) list[kind].push(value)
  const [first] = blocks[0]?.anchors.filter(({ kind }) => kind === 'label') ?? []
  page.startsWithLabel = first?.offset === 0
  return page
}

/** The Markdown of a page. */
export function renderBlocks(blocks: readonly Block[]): string {
  let content = ''
  for (const block of blocks) {
    if (content !== '') content += block.tight ? '\n' : '\n\n'
    content += renderBlock(block)
  }
  return content
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
