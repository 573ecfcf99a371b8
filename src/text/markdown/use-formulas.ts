import katexPlugin from '@vscode/markdown-it-katex'
import { renderToString } from 'katex'
import type { Env, MarkdownIt, RendererRule } from 'markdown-it'
import { writeStyledLetters } from './math-alphabets.ts'
import { writeRowElements } from './row-elements.ts'

/** The remaining budget of a text for its formulas. */
export interface FormulaBudget {
  /** Number of TeX characters that may still be rendered. */
  math: number
}

/** Maximum number of TeX characters of one text that are rendered as formulas, unless its caller sets another budget. */
export const maxMathCharacters = 20_000
const maxFormulaLength = 2000
const escapes: ReadonlyMap<string, string> = new Map(
  Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }),
)

/**
 * Makes a parser render TeX between dollar signs as MathML, within the budget `env.budget` of a text. `displayed` encloses
 * a formula that is a block of its own. Use it in a thread that can be terminated: hostile formulas take long.
 */
export function useFormulas(parser: MarkdownIt, displayed: (formula: string) => string): void {
  parser.use(unwrap(katexPlugin))
  parser.renderer.rules['math_inline'] = formulaRule('$')
  parser.renderer.rules['math_inline_block'] = formulaRule('$$')
  parser.renderer.rules['math_block'] = (...args) => displayed(formulaRule('$$')(...args))
}

function formulaRule(mark: '$' | '$$') {
  return (...[tokens, at, , env]: Parameters<RendererRule>) =>
    renderFormula(tokens[at]?.content ?? '', mark, budgetOf(env))
}

/** The budget of the text that is being rendered. */
function budgetOf(env: Env = {}): FormulaBudget {
  return (env['budget'] ??= { math: maxMathCharacters }) as FormulaBudget
}

/** Unwraps the default export of a plugin, because CommonJS may wrap it in an object. */
function unwrap<T>(plugin: T | { default: T }): T {
  return typeof plugin === 'object' && plugin !== null && 'default' in plugin ? plugin.default : plugin
}

/**
 * Renders a TeX formula as MathML. Shows it as stored if it is invalid, too long, or beyond the budget of the text. A
 * dollar sign next to a space is literal.
 */
function renderFormula(source: string, mark: '$' | '$$', budget: FormulaBudget): string {
  const stored = `${mark}${source}${mark}`.replaceAll(/[&<>"]/g, (character) => escapes.get(character) ?? '')
  if (mark === '$' && source.trim() !== source) return stored
  budget.math -= source.length
  if (source.length > maxFormulaLength || budget.math < 0) return `<code>${stored}</code>`
  try {
    const mathml = renderToString(source, {
      output: 'mathml',
      displayMode: mark === '$$',
      throwOnError: true,
      strict: 'ignore',
      trust: false,
      maxSize: 20,
      maxExpand: 200,
    })
    // `dir` keeps the formula from determining the direction of its paragraph (`dir="auto"`), which may be Arabic.
    return writeStyledLetters(writeRowElements(mathml)).replace(
      '<span class="katex">',
      '<span class="katex" dir="ltr">',
    )
  } catch {
    return `<code>${stored}</code>`
  }
}
