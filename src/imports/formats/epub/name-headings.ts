import { headingTitle } from '../../../text/markdown/markdown-toc.ts'
import { foldTitle, isFoldedNumber } from '../fold-title.ts'
import { newBlock, type Block } from './blocks.ts'
import { withoutLinks } from './page-links.ts'
import { withoutPlaces } from './picture-places.ts'

/** An entry of the table of contents that leads into a file. */
export interface FileTitle {
  title: string
  /** One-based. */
  level: number
  /** Null for the start of the file. */
  fragment: string | null
}

/** How many paragraphs at a target are searched for its title, because a number or an ornament can precede it. */
const reach = 3
/** Maximum number of paragraphs that make up one title, such as its number, its words and a subtitle. */
const maxParts = 3
const maxTitleLength = 500
const maxLevel = 6

/**
 * Makes headings of the paragraphs that the table of contents names, because many programs write titles as paragraphs
 * with a style. A title of several paragraphs becomes one heading. Changes nothing where the book has a heading.
 */
export function nameHeadings(blocks: readonly Block[], titles: readonly FileTitle[]): readonly Block[] {
  if (titles.length === 0) return blocks
  const targets = indexTargets(blocks)
  const named = [...blocks]
  let isChanged = false
  let searchedTo = 0
  for (const { title, level, fragment } of titles) {
    const target = fragment === null ? 0 : targets.get(fragment)
    if (target === undefined) continue
    // Several entries can lead to one place.
    const from = target <= searchedTo && searchedTo < target + reach ? searchedTo : target
    const found = findTitle(blocks, from, foldTitle(title))
    if (found === null) continue
    searchedTo = found.to
    isChanged = true
    named.fill(joined, found.from, found.to)
    named[found.from] = headingOf(blocks.slice(found.from, found.to), Math.min(level, maxLevel))
  }
  return isChanged ? named.filter((block) => block !== joined) : blocks
}

/** Stands for a paragraph that has become a part of a heading. */
const joined = newBlock('text', '')

/** The index of the block at which an id is, by id. */
function indexTargets(blocks: readonly Block[]): ReadonlyMap<string, number> {
  const targets = new Map<string, number>()
  for (const [index, { anchors }] of blocks.entries())
    for (const { kind, value } of anchors) if (kind === 'id' && !targets.has(value)) targets.set(value, index)
  return targets
}

/**
 * The paragraphs near `start` whose text is the folded title, or the one before it; null if there are none or a heading
 * precedes them.
 */
function findTitle(blocks: readonly Block[], start: number, wanted: string): { from: number; to: number } | null {
  if (wanted === '') return null
  const end = Math.min(blocks.length, start + reach)
  for (let from = start; from < end; from++) {
    let text = ''
    for (let to = from; to < Math.min(blocks.length, from + maxParts); to++) {
      const part = foldedText(blocks[to])
      if (part === null) break
      text += part
      if (isSameTitle(text, wanted)) return { from, to: to + 1 }
      if (text.length > wanted.length) break
    }
    if (blocks[from]?.kind === 'heading') return null
  }
  // Some programs write the target of a title after it.
  const before = foldedText(blocks[start - 1])
  return before !== null && isSameTitle(before, wanted) ? { from: start - 1, to: start } : null
}

/** The folded text of a paragraph outside lists and quotations; null for any other block and one without letters. */
function foldedText(block: Block | undefined): string | null {
  if (block?.kind !== 'text' || block.firstLinePrefix !== '' || block.body.length > maxTitleLength) return null
  if (withoutPlaces(block.body) !== block.body) return null
  return foldTitle(headingTitle(withoutLinks(block.body))) || null
}

/** True for two folded titles that are equal, or would be without the number before one of them. */
function isSameTitle(text: string, wanted: string): boolean {
  if (text === wanted) return true
  const [short, long] = text.length < wanted.length ? [text, wanted] : [wanted, text]
  return long.endsWith(short) && isFoldedNumber(long.slice(0, -short.length))
}

function headingOf(parts: readonly Block[], level: number): Block {
  const block = newBlock('heading', `${'#'.repeat(level)} ${parts.map(({ body }) => textOfTitle(body)).join(' ')}`)
  block.anchors = parts.flatMap(({ anchors }) => anchors.map((anchor) => ({ ...anchor, offset: 0 })))
  return block
}

/** The text of a paragraph in one line, without links and without emphasis of the whole paragraph or of a whole line. */
function textOfTitle(body: string): string {
  const lines = withoutLinks(body).split('\n')
  return withoutEmphasis(lines.map((line) => withoutEmphasis(line.trim())).join(' '))
}

function withoutEmphasis(text: string): string {
  return text.replace(/^(\*{1,3})([^*]+)\1$/, '$2')
}
