import katex from 'katex'
import type { RenderBudget } from './render-budget.ts'

const maxFormulaLength = 2000
const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/**
 * A formula in TeX as MathML; as it is stored when it is none, too long, or more than the page may cost. A dollar sign
 * before or after a blank is a dollar sign.
 */
export function renderFormula(source: string, mark: '$' | '$$', budget: RenderBudget): string {
  const stored = `${mark}${source}${mark}`.replaceAll(/[&<>"]/g, (character) => escapes[character] ?? '')
  if (mark === '$' && source.trim() !== source) return stored
  budget.math -= source.length
  if (source.length > maxFormulaLength || budget.math < 0) return `<code>${stored}</code>`
  try {
    return katex.renderToString(source, {
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
