import { renderToString } from 'katex'
import type { RenderBudget } from './render-budget.ts'

const maxFormulaLength = 2000
const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/**
 * Renders a TeX formula as MathML. Shows it as stored if it is invalid, too long, or beyond the budget of the page. A
 * dollar sign next to a space is literal.
 */
export function renderFormula(source: string, mark: '$' | '$$', budget: RenderBudget): string {
  const stored = `${mark}${source}${mark}`.replaceAll(/[&<>"]/g, (character) => escapes[character] ?? '')
  if (mark === '$' && source.trim() !== source) return stored
  budget.math -= source.length
  if (source.length > maxFormulaLength || budget.math < 0) return `<code>${stored}</code>`
  try {
    return renderToString(source, {
      output: 'mathml',
      displayMode: mark === '$$',
      throwOnError: true,
      strict: 'ignore',
      trust: false,
      maxSize: 20,
      maxExpand: 200,
    })
  } catch {
    return `<code>${stored}</code>`
  }
}
