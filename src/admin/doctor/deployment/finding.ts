/** The result of one check of a deployment. */
export interface Finding {
  name: string
  ok: boolean
  /** What was observed, one sentence. */
  detail: string
  /** How to fix it; null if the check passed. */
  remedy: string | null
}

/** A passed check. */
export function passed(name: string, detail: string): Finding {
  return { name, ok: true, detail, remedy: null }
}

/** A failed check and its remedy. */
export function failed(name: string, detail: string, remedy: string): Finding {
  return { name, ok: false, detail, remedy }
}

/** Runs a check; if it throws, the finding is that error. */
export async function runUrlCheck(name: string, run: () => Promise<Finding | readonly Finding[]>): Promise<Finding[]> {
  try {
    return [await run()].flat()
  } catch (error) {
    return [
      failed(name, `could not be checked: ${describeError(error)}`, 'See the logs of the server and of the proxy.'),
    ]
  }
}

/** Describes an error in one line; for a failed connection, its cause. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message || errorCodeOf(error) : error.message
}

/** The error code of a failed connection, such as `ECONNREFUSED`. */
export function errorCodeOf(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } }
  return String(code ?? cause?.code ?? '')
}
