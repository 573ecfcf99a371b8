/** The time budget for all comparisons of one request, ms. */
export interface DiffBudget {
  /** The remaining time; 1 if it is used up, so that a comparison ends at its first check. */
  remainingMs(): number
}

/** Starts the time budget of a request's comparisons. */
export function startDiffBudget(totalMs: number): DiffBudget {
  const end = performance.now() + totalMs
  return { remainingMs: () => Math.max(1, Math.floor(end - performance.now())) }
}
