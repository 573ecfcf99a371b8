/** What a page may still cost; shared by all formulas and code of a page. */
export interface RenderBudget {
  /** Characters of code that are still highlighted. */
  code: number
  /** Characters of TeX that are still set. */
  math: number
}
