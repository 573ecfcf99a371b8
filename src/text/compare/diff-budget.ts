/** The time that the comparisons of one request may take together, ms. */
export interface DiffBudget {
  /** What is left of it; 1 when it is used up, so that a comparison ends at its first look at the clock. */
  remainingMs(): number
}

/** Starts the clock of a request's comparisons. */
export function startDiffBudget(totalMs: number): DiffBudget {
  const end = performance.now() + totalMs
  return { remainingMs: () => Math.max(1, Math.floor(end - performance.now())) }
}
