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

/** Where addresses of recorded examples begin. */
const recordedBaseUrl = 'https://lectern.invalid'

/** The recorded examples by operation, with addresses of this server; `npm run docs` writes them. */
export function loadExamples(baseUrl: string): Record<string, OperationExamples> {
  const text = readFileSync(new URL('examples.json', import.meta.url), 'utf8')
  return JSON.parse(text.replaceAll(recordedBaseUrl, baseUrl)) as Record<string, OperationExamples>
}
