import createMarkdownIt, { type Env, type MarkdownIt, type RendererRule, type Token } from 'markdown-it'
import footnotePlugin from 'markdown-it-footnote'
import { figureIdOf } from '../../text/figure-markers.ts'
import { arrangeBlocks, removeHeadingAttributes } from './arrange-blocks.ts'
import { keepLooseNotes, noteRules, strayNoteReference } from './footnotes.ts'
import { highlightCode } from './highlight-code.ts'
import type { RenderBudget } from './render-budget.ts'
import { useFormulas } from '../../text/markdown/use-formulas.ts'
import { scriptTag, scriptTagRules } from '../../text/markdown/script-tags.ts'

/** The URL of a figure is `before`, its id, `after`. */
export interface FigureAddress {
  before: string
  after: string
}

/** Maximum nesting depth; deeper quotations and lists are shown at this depth. */
const maxNesting = 24

/** How the text of a page is interpreted. */
export interface ParserOptions {
  /** True if dollar signs enclose formulas: in Markdown books, but not in text extracted from a PDF or EPUB. */
  math: boolean
  /** True if tags of HTML are markup: in Markdown books, but not in extracted text, where tags are what the page shows. */
  html: boolean
}

/** Creates the Markdown parser for pages: CommonMark with tables, strikethrough and footnotes. */
export function createParser({ math, html }: ParserOptions): MarkdownIt {
  const parser = new createMarkdownIt({ html, linkify: false, typographer: false, maxNesting })
  parser.use(footnotePlugin)
  if (math) useFormulas(parser, (formula) => `<div class="formula" tabindex="0">${formula}</div>\n`)
  parser.inline.ruler.before('autolink', 'script_tag', scriptTag)
  parser.inline.ruler.after('footnote_ref', 'stray_note', strayNoteReference)
  parser.core.ruler.before('footnote_tail', 'loose_notes', keepLooseNotes)
  parser.core.ruler.before('inline', 'heading_attributes', removeHeadingAttributes)
  parser.core.ruler.push('arrange', arrangeBlocks)
  Object.assign(parser.renderer.rules, renderRules, noteRules, scriptTagRules)
  return parser
}

const { escapeHtml } = new createMarkdownIt().utils

const renderRules: Record<string, RendererRule> = {
  fence: (...[tokens, at, , env]) => renderCode(tokens[at], budgetOf(env)),
  code_block: (...[tokens, at, , env]) => renderCode(tokens[at], budgetOf(env)),
  code_inline: (...[tokens, at]) => renderInlineCode(tokens[at]?.content ?? ''),
  image: (...[tokens, at, options, env, self]) => {
    const alt = self.renderInlineAsText(tokens[at]?.children ?? [], options, env).trim()
    const address = figureAddress(tokens[at], env)
    if (address !== null)
      return `<img src="${escapeHtml(address)}" alt="${escapeHtml(alt === '' ? 'Figure' : alt)}" loading="lazy" class="figure">`
    return `<span class="picture">${escapeHtml(alt === '' ? 'Image' : `Image: ${alt}`)}</span>`
  },
  table_open: () => '<div class="scroll" tabindex="0"><table>\n',
  table_close: () => '</table></div>\n',
}

/** The URL of the figure that an image refers to; null for any other image, and if figures cannot be shown. */
function figureAddress(token: Token | undefined, env: Env | undefined): string | null {
  const figures = env?.['figures'] as FigureAddress | null | undefined
  const id = figureIdOf(String(token?.attrGet('src') ?? ''))
  return figures && id !== null ? `${figures.before}${id}${figures.after}` : null
}

/** The budget that the renderer passed as `env.budget`. */
function budgetOf(env: Env | undefined): RenderBudget {
  return env?.['budget'] as RenderBudget
}

/** Maximum number of code characters that fit into a line of the narrowest page. */
const maxWholeCode = 24

/**
 * Browsers break lines after hyphens; this keeps short names with hyphens together. An element with a direction does not
 * decide that of its paragraph, which may be Arabic.
 */
function renderInlineCode(source: string): string {
  const isWhole = source.length <= maxWholeCode && source.includes('-')
  return `<code dir="ltr"${isWhole ? ' class="whole"' : ''}>${escapeHtml(source)}</code>`
}

function renderCode(token: Token | undefined, budget: RenderBudget): string {
  const language = /^[\w+#-]{1,20}/.exec(token?.info.trim() ?? '')?.[0] ?? ''
  const source = token?.content ?? ''
  return `<pre tabindex="0" dir="ltr"><code>${highlightCode(source, language, budget) ?? escapeHtml(source)}</code></pre>\n`
}
