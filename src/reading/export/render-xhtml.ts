import MarkdownIt, { type Env, type StateCore, type Token } from 'markdown-it'
import footnotes from 'markdown-it-footnote'
import { figureIdOf } from '../../text/figure-markers.ts'
import { escapeXml, toXmlCharacters } from './xml-text.ts'

/** The files of figures within the book, by their ids. */
export type FigureFileNames = ReadonlyMap<string, string>

/** A page is rendered in parts of about this length, so that a long one does not hold up other calls. */
const maxPartLength = 100_000

/**
 * The Markdown of a page as well-formed XHTML for an EPUB, in parts. HTML in it is text; a figure of `figures` is a picture, any other
 * one its description; links
 * lead to web and mail addresses only, because the book has no other files. `id` tells the notes of pages apart.
 */
export function* renderXhtml(markdown: string, id: string, figures: FigureFileNames = new Map()): Generator<string> {
  let part = 0
  for (const text of splitAtBlankLines(toXmlCharacters(markdown))) {
    yield toXmlCharacters(renderer.render(text, { docId: `${id}-${part++}`, figures }))
  }
}

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

const renderer = createRenderer()

function createRenderer() {
  const markdown = new MarkdownIt({ html: false, xhtmlOut: true, linkify: false, typographer: false }).use(footnotes)
  markdown.core.ruler.before('footnote_tail', 'loose_notes', keepLooseNotes)
  markdown.validateLink = (url) => isAddress.test(url.trim()) || figureIdOf(url) !== null
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
    // Only an image may name a figure.
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

function noteNumber(token: Token | undefined): number {
  return Number(token?.meta?.['id'] ?? 0) + 1
}

function noteId(token: Token | undefined, env: Env | undefined): string {
  return `note-${String(env?.['docId'])}-${noteNumber(token)}`
}

/** Keeps the notes that nothing on the page refers to, after their label; the plugin would drop them. */
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
