import { blockSize, renderBlock } from './blocks.ts'
import type { Block, Mark } from './blocks.ts'
import { cutBlock } from './split-block.ts'

export interface BookPage {
  content: string
  /** Element ids that stand on the page. */
  ids: string[]
  /** Printed page labels in the order in which they begin, and whether the first begins with the page's first word. */
  labels: string[]
  labelledFromStart: boolean
}

/** Characters that a page aims at and never passes. */
const pageTarget = 3_000
const pageLimit = 6_000

/** Puts the blocks of one file onto pages: cut between blocks, before a heading once half full, and never after one. */
export function paginate(blocks: readonly Block[], trailing: readonly Mark[]): BookPage[] {
  const pages: BookPage[] = []
  let page: Block[] = []
  let size = 0
  const turn = (): void => {
    let keep = page.length
    while (keep > 0 && page[keep - 1]?.kind === 'heading') keep--
    if (keep === 0) keep = page.length
    pages.push(renderPage(page.slice(0, keep)))
    page = page.slice(keep)
    size = page.reduce((sum, block) => sum + blockSize(block), 0)
  }
  const put = (block: Block): void => {
    page.push(block)
    size += blockSize(block)
  }
  for (const block of blocks) {
    const length = blockSize(block)
    const halfFull = size >= pageTarget / 2
    const over = size + length > pageTarget
    if (page.length > 0 && halfFull && (over || block.kind === 'heading')) turn()
    if (size + length <= pageLimit) {
      put(block)
      continue
    }
    for (const piece of cutBlock(block, Math.max(pageTarget - size, 500), pageTarget)) {
      if (page.length > 0 && size + blockSize(piece) > pageLimit) turn()
      put(piece)
      if (size >= pageTarget / 2) turn()
    }
  }
  if (page.length > 0) pages.push(renderPage(page))
  const last = pages.at(-1)
  for (const { kind, value } of trailing) last?.[kind === 'id' ? 'ids' : 'labels'].push(value)
  return pages
}

function renderPage(blocks: readonly Block[]): BookPage {
  let content = ''
  for (const block of outdent(blocks)) {
    if (content !== '') content += block.tight ? '\n' : '\n\n'
    content += renderBlock(block)
  }
  const marks = blocks.flatMap((block) => block.marks)
  const labels = marks.filter(({ kind }) => kind === 'label')
  return {
    content,
    ids: marks.filter(({ kind }) => kind === 'id').map(({ value }) => value),
    labels: labels.map(({ value }) => value),
    labelledFromStart: labels[0]?.at === 0 && blocks[0]?.marks.includes(labels[0]) === true,
  }
}

/** A page that begins inside of a list loses the indentation of what it does not show, or it would read as code. */
function outdent(blocks: readonly Block[]): Block[] {
  let columns = Number.POSITIVE_INFINITY
  return blocks.map((block) => {
    columns = Math.min(columns, blankLength(block.first), blankLength(block.rest))
    return columns === 0 ? block : { ...block, first: block.first.slice(columns), rest: block.rest.slice(columns) }
  })
}

function blankLength(text: string): number {
  return text.length - text.trimStart().length
}
