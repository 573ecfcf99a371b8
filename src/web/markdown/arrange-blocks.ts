import type { StateCore, Token } from 'markdown-it'
import { headingAttributes, headingTitle } from '../../text/markdown/markdown-toc.ts'
import { slugify } from '../../text/slugify.ts'
import { createHeadingIds } from './heading-ids.ts'
import { createTagWriter, findPlaces, type LinkAttributes } from '../../text/markdown/html-tags.ts'
import { markLetteredLists } from './lettered-lists.ts'

const directed = new Set(['paragraph_open', 'heading_open', 'list_item_open', 'th_open', 'td_open'])
const importedPicture = /^\[Image: ([^\]]*)\]$/

/**
 * Adapts the blocks of a page to the surrounding page: headings below the page's own, without gaps between levels; each
 * block with its own writing direction; a paragraph that is an image as a figure; only links that lead to other sites
 * or to a heading here.
 */
export function arrangeBlocks({ tokens }: StateCore): void {
  const levels: number[] = []
  const headings = nameHeadings(tokens)
  const places = new Set([...headings, ...findPlaces(tokens)])
  const named = new Set(headings)
  const writeTags = createTagWriter({
    placeId: (slug) => {
      if (named.has(slug)) return null
      named.add(slug)
      return `p-${slug}`
    },
    linkAttributes: (href) => linkAttributes(href, places),
    openHeading: (level) => openHeading(level, levels),
  })
  for (const [at, token] of tokens.entries()) {
    if (directed.has(token.type)) token.attrSet('dir', 'auto')
    if (token.type === 'heading_open') arrangeHeading(token, tokens[at + 2], levels)
    if (token.type === 'paragraph_open') arrangeFigure(tokens, at)
    if (token.type === 'list_item_open') arrangeTask(tokens[at + 2])
    if (token.type === 'th_open' || token.type === 'td_open') arrangeCell(token)
    if (token.type === 'inline') arrangeLinks(token.children ?? [], places)
    writeTags(token)
  }
  markLetteredLists(tokens)
}

/** Removes the attributes after headings. */
export function removeHeadingAttributes({ tokens }: StateCore): void {
  for (const [at, token] of tokens.entries())
    if (token.type === 'inline' && tokens[at - 1]?.type === 'heading_open')
      token.content = token.content.replace(headingAttributes, '')
}

/** Gives headings their ids. Returns these without the prefix. */
function nameHeadings(tokens: readonly Token[]): Set<string> {
  const names = new Set<string>()
  const idOf = createHeadingIds()
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue
    const id = idOf(headingTitle(tokens[at + 1]?.content ?? ''))
    const name = id?.slice(2)
    if (id === null || name === undefined || names.has(name)) continue
    names.add(name)
    token.attrSet('id', id)
  }
  return names
}

/** Returns the level at which a heading is shown; `levels` are the stored levels of the headings that contain the position. */
function openHeading(level: number, levels: number[]): number {
  while ((levels.at(-1) ?? 0) >= level) levels.pop()
  levels.push(level)
  return Math.min(6, levels.length + 1)
}

function arrangeHeading(open: Token, close: Token | undefined, levels: number[]): void {
  const level = Number(open.tag.slice(1))
  open.tag = `h${openHeading(level, levels)}`
  if (close) close.tag = open.tag
  open.attrSet('class', `level-${level}`)
}

/** Converts a paragraph that is only an image to a figure, in Markdown or in the form that importers write. */
function arrangeFigure(tokens: Token[], at: number): void {
  const [open, inline, close] = [tokens[at], tokens[at + 1], tokens[at + 2]]
  const children = inline?.children ?? []
  if (!open || !close || open.hidden) return
  const isImage = children.length === 1 && children[0]?.type === 'image'
  const imported = children.length === 1 ? importedPicture.exec(children[0]?.content ?? '') : null
  if (!isImage && !imported) return
  if (imported && children[0]) children[0].content = `Image: ${imported[1]}`
  open.tag = close.tag = 'figure'
}

/** Shows the check box of a task as a symbol. */
function arrangeTask(inline: Token | undefined): void {
  const text = inline?.type === 'inline' ? inline.children?.[0] : undefined
  const box = text?.type === 'text' ? /^\[([ xX])\](?=\s)/.exec(text.content) : null
  if (text && box) text.content = (box[1] === ' ' ? '\u2610' : '\u2611') + text.content.slice(3)
}

/** Sets the alignment of a cell by a class, because inline styles are refused. */
function arrangeCell(token: Token): void {
  const alignment = /^text-align:(left|center|right)$/.exec(String(token.attrGet('style') ?? ''))?.[1]
  token.attrs = (token.attrs ?? []).filter(([name]) => name !== 'style')
  if (alignment !== undefined && alignment !== 'left') token.attrSet('class', `align-${alignment}`)
}

/** Keeps links to a place on this page, to a page of the book (`page:12`) and to the web; other links become text. */
function arrangeLinks(tokens: readonly Token[], places: ReadonlySet<string>): void {
  const open: boolean[] = []
  for (const token of tokens) {
    if (token.type === 'link_open') open.push(keepLink(token, places))
    else if (token.type === 'link_close' && open.pop() === false) token.hidden = true
  }
}

function keepLink(token: Token, places: ReadonlySet<string>): boolean {
  const attributes = linkAttributes(String(token.attrGet('href') ?? ''), places)
  token.attrs = attributes ?? []
  token.hidden = attributes === null
  return attributes !== null
}

function linkAttributes(href: string, places: ReadonlySet<string>): LinkAttributes | null {
  if (/^https?:\/\/|^mailto:/i.test(href)) {
    return [
      ['href', href],
      ['rel', 'noopener noreferrer nofollow'],
      ['class', 'external'],
    ]
  }
  const page = /^page:(\d{1,6})$/.exec(href)?.[1]
  if (page !== undefined) return [['href', `./${page}`]] // a page of the same book has a relative URL
  const slug = href.startsWith('#') ? slugify(decode(href.slice(1))) : ''
  return places.has(slug) ? [['href', `#p-${slug}`]] : null
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
