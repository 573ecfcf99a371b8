import createMarkdownIt, { type Env, type MarkdownIt, type StateCore, type Token } from 'markdown-it'
import footnotes from 'markdown-it-footnote'
import { figureIdOf } from '../../text/figure-markers.ts'
import { createTagWriter } from '../../text/markdown/html-tags.ts'
import { scriptTag, scriptTagRules } from '../../text/markdown/script-tags.ts'
import { toWellFormed } from './well-formed.ts'
import { escapeXml, toXmlCharacters } from './xml-text.ts'

/** The files of figures in the book, by figure id. */
export type FigureFileNames = ReadonlyMap<string, string>

/** A page is rendered in parts of about this length. */
const maxPartLength = 100_000

export interface XhtmlOptions {
  /** A figure among them becomes a picture, any other its description. */
  figures?: FigureFileNames
  /** The addresses of pages; a link to any other page becomes text. */
  pages?: ReadonlyMap<number, string>
  /** True in Markdown books: tags of HTML that describe text are markup. Otherwise only those that importers write are. */
  html?: boolean
  /** True if dollar signs may enclose formulas. Only a renderer with `useFormulas` renders them. */
  math?: boolean
}

/** A part of a page. Threads can pass it to each other. */
export interface XhtmlPart extends XhtmlOptions {
  text: string
  /** Distinguishes the notes of parts. */
  id: string
}

/**
 * Divides a page into parts that are rendered separately. `id` distinguishes the notes of pages. `linkTo` returns the
 * address of a page; null if there is no such page.
 */
export function* partsOfPage(
  markdown: string,
  id: string,
  { linkTo, figures, html, math }: { linkTo(page: number): string | null } & Required<Omit<XhtmlOptions, 'pages'>>,
): Generator<XhtmlPart> {
  let part = 0
  for (const text of splitAtBlankLines(toXmlCharacters(markdown))) {
    const pages = namedIn(text, /page:(\d{1,6})/g, (page) => linkTo(Number(page)))
    yield {
      text,
      id: `${id}-${part++}`,
      html,
      math: math && text.includes('$'),
      pages: new Map([...pages].map(([page, address]) => [Number(page), address])),
      figures: namedIn(text, /figure:([0-9a-f]{16})/g, (figure) => figures.get(figure) ?? null),
    }
  }
}

/** The addresses of what a text names, by its names. */
function namedIn(text: string, pattern: RegExp, addressOf: (name: string) => string | null): Map<string, string> {
  const found = new Map<string, string>()
  for (const [, name = ''] of text.matchAll(pattern)) {
    const address = found.has(name) ? null : addressOf(name)
    if (address !== null) found.set(name, address)
  }
  return found
}

/**
 * Creates a function that renders the Markdown of a part as well-formed XHTML for an EPUB. Links may lead to web and mail addresses, and with
 * `page:12` to a page of the book. `extend` adds to the Markdown parsers.
 */
export function createPartRenderer(extend?: (parser: MarkdownIt) => void): (part: XhtmlPart) => string {
  const ofAuthors = createRenderer({ html: true })
  const ofImports = createRenderer({ html: false })
  extend?.(ofAuthors)
  extend?.(ofImports)
  return ({ text, id, figures = new Map(), pages = new Map(), html = false }) => {
    const linkTo = (page: number) => pages.get(page) ?? null
    return toWellFormed((html ? ofAuthors : ofImports).render(text, { docId: id, figures, linkTo }))
  }
}

/** Renders a part without formulas. Not for long texts of authors in a thread that answers calls: hostile ones take half a second. */
export const renderPart = createPartRenderer()

function* splitAtBlankLines(text: string): Generator<string> {
  let from = 0
  while (text.length - from > maxPartLength) {
    const blank = text.lastIndexOf('\n\n', from + maxPartLength)
    const to = blank > from ? blank + 2 : from + maxPartLength
    yield text.slice(from, to)
    from = to
  }
  yield text.slice(from)
}

const isAddress = /^(?:https?:\/\/|mailto:)/i
const pageAddress = /^page:(\d{1,6})$/

function createRenderer({ html }: { html: boolean }): MarkdownIt {
  const markdown = new createMarkdownIt({ html, xhtmlOut: true, linkify: false, typographer: false }).use(footnotes)
  markdown.core.ruler.before('footnote_tail', 'loose_notes', keepLooseNotes)
  markdown.validateLink = (url) =>
    isAddress.test(url.trim()) || pageAddress.test(url.trim()) || figureIdOf(url) !== null
  markdown.core.ruler.push('page_links', linkPages)
  markdown.core.ruler.push('html_tags', writeTags)
  markdown.inline.ruler.before('autolink', 'script_tag', scriptTag)
  Object.assign(markdown.renderer.rules, scriptTagRules)
  const { rules } = markdown.renderer
  rules['image'] = (tokens, index, ...[, env]) => {
    const alt = markdown.renderer.renderInlineAsText(tokens[index]?.children ?? [], markdown.options, env)
    const figure = figureIdOf(String(tokens[index]?.attrGet('src') ?? ''))
    const file = figure === null ? undefined : (env?.['figures'] as FigureFileNames | undefined)?.get(figure)
    if (file !== undefined) return `<img src="${escapeXml(file)}" alt="${escapeXml(alt)}"/>`
    return alt.trim() === '' ? '' : `<span class="picture">[Image: ${escapeXml(alt)}]</span>`
  }
  rules['link_open'] = (tokens, index, ...[options, , self]) => {
    const token = tokens[index]
    // Only an image may refer to a figure.
    if (token && figureIdOf(String(token.attrGet('href') ?? '')) !== null) token.attrs = []
    return self.renderToken(tokens, index, options)
  }
  rules['footnote_ref'] = (tokens, index, ...[, env]) =>
    `<a epub:type="noteref" role="doc-noteref" href="#${noteId(tokens[index], env)}">${noteNumber(tokens[index])}</a>`
  rules['footnote_open'] = (tokens, index, ...[, env]) =>
    `<aside epub:type="footnote" role="doc-footnote" id="${noteId(tokens[index], env)}">`
  rules['footnote_close'] = () => '</aside>\n'
  rules['loose_note_open'] = () => '<aside epub:type="footnote" role="doc-footnote">'
  rules['loose_note_close'] = () => '</aside>\n'
  for (const rule of ['footnote_block_open', 'footnote_block_close', 'footnote_anchor']) rules[rule] = () => ''
  return markdown
}

/** Resolves links to pages within the EPUB; a link to a page that does not exist becomes text. */
function linkPages({ env, tokens }: StateCore): void {
  const linkTo = env['linkTo'] as (page: number) => string | null
  for (const { children } of tokens) {
    let isDead = false
    for (const token of children ?? []) {
      const page = token.type === 'link_open' ? pageAddress.exec(String(token.attrGet('href')))?.[1] : undefined
      const target = page === undefined ? null : linkTo(Number(page))
      if (token.type === 'link_open') isDead = page !== undefined && target === null
      if (target !== null) token.attrSet('href', target)
      // Links do not nest, so the next end belongs to this link.
      if (isDead && token.type.startsWith('link_')) makeEmpty(token)
    }
  }
}

/** Rewrites the tags of authors. Their anchors get no ids, because the pages of a section share one document. */
function writeTags({ env, tokens }: StateCore): void {
  const linkTo = env['linkTo'] as (page: number) => string | null
  const write = createTagWriter({
    placeId: () => null,
    linkAttributes: (href) => {
      const page = pageAddress.exec(href)?.[1]
      const address = page === undefined ? (isAddress.test(href) ? href : null) : linkTo(Number(page))
      return address === null ? null : [['href', address]]
    },
    openHeading: (level) => level,
  })
  for (const token of tokens) write(token)
}

function makeEmpty(token: Token): void {
  token.type = 'text'
  token.tag = ''
  token.nesting = 0
}

function noteNumber(token: Token | undefined): number {
  return Number(token?.meta?.['id'] ?? 0) + 1
}

function noteId(token: Token | undefined, env: Env | undefined): string {
  return `note-${String(env?.['docId'])}-${noteNumber(token)}`
}

/** Keeps notes without a reference on the page, with their label; the plugin would drop them. */
function keepLooseNotes({ env, tokens }: StateCore): void {
  const { refs = {} } = (env['footnotes'] ?? {}) as { refs?: Record<string, number> }
  let label: string | null = null
  for (const token of tokens) {
    if (token.type === 'footnote_reference_open') {
      const named = String(token.meta?.['label'])
      if (refs[`:${named}`] !== -1) continue
      label = named
      token.type = 'loose_note_open'
    } else if (token.type === 'inline' && label) {
      token.children?.unshift(textToken(token, `${label}. `))
      label = ''
    } else if (token.type === 'footnote_reference_close' && label !== null) {
      token.type = 'loose_note_close'
      label = null
    }
  }
}

function textToken(like: Token, content: string): Token {
  return Object.assign(Object.create(Object.getPrototypeOf(like) as object) as Token, like, {
    type: 'text',
    content,
    children: null,
    level: 0,
  })
}
