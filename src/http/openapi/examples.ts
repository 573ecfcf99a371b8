import { readFileSync } from 'node:fs'

/** What one operation was called with and answered, recorded from a server. */
export interface OperationExamples {
  /** Values of the path and the query. */
  parameters?: Record<string, unknown>
  body?: unknown
  /** Bodies by success status. */
  answers?: Record<string, unknown>
  /** Bodies of refusals by status and code, such as `404 NOT_FOUND`. */
  refusals?: Record<string, unknown>
}

/** The recorded examples by operation; `npm run docs` writes them. */
export function loadExamples(): Record<string, OperationExamples> {
  return JSON.parse(readFileSync(new URL('examples.json', import.meta.url), 'utf8')) as Record<
    string,
    OperationExamples
  >
}
