import type { MarkdownIt } from 'markdown-it'
import { frontMatterEnd } from '../../text/markdown/front-matter.ts'
import { cleanSource } from './clean-source.ts'
import { markWords } from './mark-words.ts'
import { createParser, type FigureAddress } from './parser.ts'
import type { RenderBudget } from './render-budget.ts'
import { renderFrontMatter } from './render-front-matter.ts'
import { sanitise } from './sanitise.ts'

export interface RenderOptions {
  /** Whether dollar signs enclose formulas: in Markdown books, not in text taken out of a PDF or EPUB. */
  math: boolean
  /** Words of a search to mark; empty: none. */
  mark: string
  /** Where the figures of the page are: the address before their ids; null to show their captions instead. */
  figures?: FigureAddress | null | undefined
  /** Whether a Markdown text begins here, so that front matter may stand there; default false. */
  startsText?: boolean | undefined
}

const maxHighlightedCharacters = 60_000
const maxMathCharacters = 20_000

const parsers = new Map<boolean, MarkdownIt>()

/**
 * The Markdown of a stored page as HTML that is safe within a page of this server: no scripts, styles, forms, or requests
 * but those for figures of the book. Takes time linear in ordinary text; call it in the rendering thread, where hostile text can be stopped.
 */
export function renderMarkdown(
  source: string,
  { math, mark, figures = null, startsText = false }: RenderOptions,
): string {
  const parser = parsers.get(math) ?? createParser({ math })
  parsers.set(math, parser)
  const budget: RenderBudget = { code: maxHighlightedCharacters, math: maxMathCharacters }
  const text = cleanSource(source)
  const start = startsText ? frontMatterEnd(text) : 0
  const html = renderFrontMatter(text.slice(0, start)) + parser.render(text.slice(start), { budget, figures })
  return markWords(sanitise(html), mark)
}
