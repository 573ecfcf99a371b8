import { createRequire } from 'node:module'
import type { RenderBudget } from './render-budget.ts'

/** What is used of highlight.js; its own types bring those of a browser along, which a server does not have. */
interface Highlighter {
  registerLanguage(name: string, language: unknown): void
  getLanguage(name: string): unknown
  highlight(source: string, options: { language: string; ignoreIllegals: boolean }): { value: string }
}

const require = createRequire(import.meta.url)
const highlighter = require('highlight.js/lib/core') as Highlighter

const languages =
  'bash c cpp csharp css diff dockerfile go ini java javascript json kotlin makefile php python r ruby rust shell sql swift typescript xml yaml'

for (const name of languages.split(' ')) {
  highlighter.registerLanguage(name, require(`highlight.js/lib/languages/${name}`))
}

const maxBlockLength = 20_000

/**
 * Code with its words marked by classes, as HTML; null for an unknown language, and for more code than the page may cost.
 */
export function highlightCode(source: string, language: string, budget: RenderBudget): string | null {
  if (!highlighter.getLanguage(language) || source.length > Math.min(maxBlockLength, budget.code)) return null
  budget.code -= source.length
  return highlighter.highlight(source, { language: language.toLowerCase(), ignoreIllegals: true }).value
}
