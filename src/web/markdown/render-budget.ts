import type { FormulaBudget } from '../../text/markdown/use-formulas.ts'

/** The remaining budget of a page, shared by all its formulas and code. */
export interface RenderBudget extends FormulaBudget {
  /** Number of code characters that may still be highlighted. */
  code: number
}
