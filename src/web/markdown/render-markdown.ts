import type { MarkdownIt } from 'markdown-it'
import { frontMatterEnd } from '../../text/markdown/front-matter.ts'
import { maxMathCharacters } from '../../text/markdown/use-formulas.ts'
import { cleanSource } from './clean-source.ts'
import { markWords } from './mark-words.ts'
import { createParser, type FigureAddress, type ParserOptions } from './parser.ts'
import type { RenderBudget } from './render-budget.ts'
import { renderFrontMatter } from './render-front-matter.ts'
import { sanitise } from './sanitise.ts'

export interface RenderOptions extends ParserOptions {
  /** Search words to mark; empty: none. */
  mark: string
  /** The address of the page's figures; null to show their captions instead. */
  figures?: FigureAddress | null | undefined
  /** True if a Markdown text begins here, so that it may have front matter. Default: false. */
  startsText?: boolean | undefined
}

const maxHighlightedCharacters = 60_000

const parsers = new Map<string, MarkdownIt>()

/**
 * Renders the Markdown of a stored page as HTML that is safe within a page of this server: no scripts, styles or forms,
 * and no requests except for figures of the book. Takes linear time for ordinary text. Call it in the rendering thread,
 * which can be terminated on hostile text.
 */
export function renderMarkdown(
  source: string,
  { math, html: tags, mark, figures = null, startsText = false }: RenderOptions,
): string {
  const kind = `${math} ${tags}`
  const parser = parsers.get(kind) ?? createParser({ math, html: tags })
  parsers.set(kind, parser)
  const budget: RenderBudget = { code: maxHighlightedCharacters, math: maxMathCharacters }
  const text = cleanSource(source)
  const start = startsText ? frontMatterEnd(text) : 0
  const html = renderFrontMatter(text.slice(0, start)) + parser.render(text.slice(start), { budget, figures })
  return markWords(sanitise(html), mark)
}
