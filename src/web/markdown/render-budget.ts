/** The remaining budget of a page, shared by all its formulas and code. */
export interface RenderBudget {
  /** Number of code characters that may still be highlighted. */
  code: number
  /** Number of TeX characters that may still be rendered. */
  math: number
}
