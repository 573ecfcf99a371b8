import { createRequire } from 'node:module'
import type { RenderBudget } from './render-budget.ts'

/** The used part of highlight.js. Its own types depend on browser types, which a server does not have. */
interface Highlighter {
  registerLanguage(name: string, language: unknown): void
  getLanguage(name: string): unknown
  highlight(source: string, options: { language: string; ignoreIllegals: boolean }): { value: string }
}

const require = createRequire(import.meta.url)

const languages =
  'bash c cpp csharp css diff dockerfile go ini java javascript json kotlin makefile php python r ruby rust shell sql swift typescript xml yaml'

let loaded: Highlighter | undefined

/** Loads highlight.js with the first code block, because its languages take longer than a page. */
function highlighter(): Highlighter {
  if (loaded === undefined) {
    loaded = require('highlight.js/lib/core') as Highlighter
    for (const name of languages.split(' ')) {
      loaded.registerLanguage(name, require(`highlight.js/lib/languages/${name}`))
    }
  }
  return loaded
}

const maxBlockLength = 20_000

/** Highlights code with classes, as HTML; null for an unknown language, and for code beyond the budget of the page. */
export function highlightCode(source: string, language: string, budget: RenderBudget): string | null {
  if (source.length > Math.min(maxBlockLength, budget.code) || !highlighter().getLanguage(language)) return null
  budget.code -= source.length
  return highlighter().highlight(source, { language: language.toLowerCase(), ignoreIllegals: true }).value
}
