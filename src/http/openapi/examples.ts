import { readFileSync } from 'node:fs'

/** The recorded inputs and responses of one operation. */
export interface OperationExamples {
  /** Path and query values. */
  parameters?: Record<string, unknown>
  body?: unknown
  /** Response bodies by success status. */
  answers?: Record<string, unknown>
  /** Refusal bodies by status and code, such as `404 NOT_FOUND`. */
  refusals?: Record<string, unknown>
}

/** The base URL in recorded examples. */
const recordedBaseUrl = 'https://lectern.invalid'

/** The recorded examples by operation, with the base URL of this server; `npm run docs` records them. */
export function loadExamples(baseUrl: string): Record<string, OperationExamples> {
  const text = readFileSync(new URL('examples.json', import.meta.url), 'utf8')
  return JSON.parse(text.replaceAll(recordedBaseUrl, baseUrl)) as Record<string, OperationExamples>
}
