import type { Token } from 'markdown-it'
import { slugify } from '../slugify.ts'

/*
 * HTML in the Markdown of authors, such as `<p align="center">`, `<details>` and tables. Tags of elements that
 * structure text are rewritten with the few attributes that matter. All other tags are shown as text, so that nothing
 * that an author wrote disappears. The result is not sanitised: renderers must check it.
 */

/** What the tags of a page need to know about the page. */
export interface TagContext {
  /** Returns the id for the anchor `slug`, once: null for further elements with that slug, or if anchors get no ids. */
  placeId(slug: string): string | null
  /** Returns the attributes of a link; null if it becomes text. */
  linkAttributes(href: string): LinkAttributes | null
  /** Opens a heading of a stored level, 1 to 6; returns the level at which it is shown. */
  openHeading(level: number): number
}

export type LinkAttributes = [name: string, value: string][]

/** Inline elements: those that are written, with the source elements that each one replaces. */
const inlineElements = elementsShownAs({
  strong: 'strong b',
  em: 'em i cite dfn var',
  s: 's strike del',
  code: 'code tt samp',
  ...same('sub sup kbd q br'),
})
const blockElements = elementsShownAs({
  div: 'div center section article header footer nav main aside address',
  tbody: 'tbody tfoot',
  ...same('p blockquote pre hr ul ol li dl dt dd figure figcaption details summary table caption thead tr th td'),
})
/** Elements of which only the content is shown. */
const transparentElements = new Set(
  'a img span font u ins small big mark abbr time wbr nobr picture source colgroup col'.split(' '),
)
const headingElement = /^h[1-6]$/
const directed = new Set(['p', 'li', 'th', 'td', 'dt', 'dd', 'figure', 'summary'])
const aligned = new Set(['p', 'div', 'th', 'td'])

function same(names: string): Record<string, string> {
  return Object.fromEntries(names.split(' ').map((name) => [name, name]))
}

/** Inverts a map from element to source elements. */
function elementsShownAs(names: Record<string, string>): ReadonlyMap<string, string> {
  return new Map(Object.entries(names).flatMap(([element, all]) => all.split(' ').map((name) => [name, element])))
}

/** A tag (CommonMark 0.31, section 6.6), or the beginning of anything else that HTML would not show as text. */
const tagPattern =
  /<(\/?)([a-z][a-z0-9-]*)((?:\s+[a-z_:][\w.:-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*)\s*\/?>|</gi

/** The slugs of the elements with an `id` or `name`, to which links may lead. */
export function findPlaces(tokens: readonly Token[]): Set<string> {
  const places = new Set<string>()
  for (const token of tokens) {
    for (const { content } of htmlTokens(token)) {
      if (!/\s(?:id|name)\s*=/i.test(content)) continue
      for (const [, , name = '', attributes = ''] of content.matchAll(tagPattern)) {
        const slug = isShown(name.toLowerCase()) ? placeOf(name.toLowerCase(), attributes) : ''
        if (slug !== '') places.add(slug)
      }
    }
  }
  return places
}

/** Returns a function that rewrites the tags of a block; call it for the blocks of a page in their order. */
export function createTagWriter(context: TagContext): (block: Token) => void {
  const state: PageTags = { context, open: [], hasBlocks: false }
  return (block) => {
    for (const token of htmlTokens(block)) {
      state.hasBlocks = false
      const html = withoutComments(token.content).replaceAll(
        tagPattern,
        (...[whole, slash = '', name = '', attributes = '']: string[]) =>
          showTag({ name: name.toLowerCase(), isEnd: slash !== '', attributes }, state) ??
          String(whole).replace('<', '&lt;'),
      )
      const isLine = token.type === 'html_block' && html.trim() !== '' && !state.hasBlocks
      token.content = isLine ? `<p dir="auto">${html.trimEnd()}</p>\n` : html
    }
  }
}

function htmlTokens(block: Token): Token[] {
  if (block.type === 'html_block') return [block]
  return block.type === 'inline' ? (block.children ?? []).filter(({ type }) => type === 'html_inline') : []
}

interface PageTags {
  context: TagContext
  /** The elements that are open, as they are shown. An end without a start could end an element of Markdown. */
  open: string[]
  /** True if the current token contains a start or end tag of a block. */
  hasBlocks: boolean
}

interface Tag {
  /** In lower case; empty for text that is not a tag. */
  name: string
  isEnd: boolean
  /** As in the source. */
  attributes: string
}

function isShown(name: string): boolean {
  return (
    inlineElements.has(name) || blockElements.has(name) || transparentElements.has(name) || headingElement.test(name)
  )
}

/** Returns the tag as it is shown; null if it is text. */
function showTag(tag: Tag, state: PageTags): string | null {
  const { name, isEnd } = tag
  if (!isShown(name)) return null
  if (blockElements.has(name) || headingElement.test(name)) state.hasBlocks = true
  if (isEnd) return showEnd(name, state)
  const place = showPlace(tag, state)
  if (name === 'a') return place + showLink(tag, state)
  if (name === 'img') return place + showPicture(tag)
  if (headingElement.test(name)) return place + showHeading(tag, state)
  const element = elementOf(name)
  if (element === undefined) return place
  if (element !== 'br' && element !== 'hr') state.open.push(element)
  const before = element === 'table' ? '<div class="scroll" tabindex="0">' : ''
  return `${place}${before}<${element}${attributesOf(element, tag)}>`
}

function elementOf(name: string): string | undefined {
  return inlineElements.get(name) ?? blockElements.get(name)
}

/** Ends the last open element of that name, and headings of any level. */
function showEnd(name: string, { open }: PageTags): string {
  const isHeading = headingElement.test(name)
  const element = elementOf(name) ?? name
  const at = open.findLastIndex((other) => (isHeading ? headingElement.test(other) : other === element))
  if (at < 0) return ''
  const [ended] = open.splice(at, 1)
  return `</${ended}>${ended === 'table' ? '</div>' : ''}`
}

/** Returns an anchor element with the id for the slug that the tag defines; empty if it defines none. */
function showPlace({ name, attributes }: Tag, { context }: PageTags): string {
  const slug = attributes === '' ? '' : placeOf(name, attributes)
  const id = slug === '' ? null : context.placeId(slug)
  return id === null ? '' : `<a id="${id}"></a>`
}

function placeOf(name: string, attributes: string): string {
  const id = attribute(attributes, 'id') ?? (name === 'a' ? attribute(attributes, 'name') : null)
  return id === null ? '' : slugify(id)
}

function showLink({ attributes }: Tag, { context, open }: PageTags): string {
  const href = attribute(attributes, 'href')
  const kept = href === null ? null : context.linkAttributes(href)
  if (kept === null) return ''
  open.push('a')
  return `<a${kept.map(([name, value]) => ` ${name}="${quoted(value)}"`).join('')}>`
}

function showPicture({ attributes }: Tag): string {
  const words = (attribute(attributes, 'alt') ?? attribute(attributes, 'title') ?? '').trim()
  return `<span class="picture">${words === '' ? 'Image' : `Image: ${quoted(words)}`}</span>`
}

function showHeading(tag: Tag, { context, open }: PageTags): string {
  const level = Number(tag.name.slice(1))
  const element = `h${context.openHeading(level)}`
  open.push(element)
  const align = alignmentOf(tag)
  return `<${element} dir="auto" class="level-${level}${align === null ? '' : ` align-${align}`}">`
}

function attributesOf(element: string, tag: Tag): string {
  const written: string[] = []
  if (directed.has(element)) written.push('dir="auto"')
  if (element === 'code') written.push('dir="ltr"')
  if (element === 'details') written.push('open')
  const align = aligned.has(element) ? alignmentOf(tag) : null
  if (align !== null) written.push(`class="align-${align}"`)
  for (const name of element === 'ol'
    ? ['start']
    : element === 'td' || element === 'th'
      ? ['colspan', 'rowspan']
      : []) {
    const value = attribute(tag.attributes, name)
    if (value !== null && /^\d{1,2}$/.test(value)) written.push(`${name}="${value}"`)
  }
  return written.map((text) => ` ${text}`).join('')
}

function alignmentOf({ name, attributes }: Tag): 'center' | 'right' | null {
  if (name === 'center') return 'center'
  const style = /text-align:\s*(\w+)/i.exec(attribute(attributes, 'style') ?? '')?.[1]
  const align = (style ?? attribute(attributes, 'align') ?? '').toLowerCase()
  return align === 'center' || align === 'right' ? align : null
}

const attributePattern = /\s([a-z_:][\w.:-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))/gi

/** Returns the value of an attribute as in the source; null if it is missing. */
function attribute(attributes: string, name: string): string | null {
  for (const [, found, ...values] of attributes.matchAll(attributePattern))
    if (found?.toLowerCase() === name) return values.find((value) => value !== undefined) ?? ''
  return null
}

/** Escapes what would end an attribute or begin a tag; entities stay. */
function quoted(text: string): string {
  return text.replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Removes comments; what is not closed stays. */
function withoutComments(html: string): string {
  let [kept, from] = ['', 0]
  for (let at = html.indexOf('<!--'); at >= 0; at = html.indexOf('<!--', from)) {
    const end = html.indexOf('-->', at + 2)
    if (end < 0) break
    kept += html.slice(from, at)
    from = end + 3
  }
  return kept + html.slice(from)
}
