/** What one look at a deployment came to. */
export interface Finding {
  name: string
  ok: boolean
  /** What was seen, one sentence. */
  detail: string
  /** What to do about it; null when it is well. */
  remedy: string | null
}

/** Something that is as it should be. */
export function passed(name: string, detail: string): Finding {
  return { name, ok: true, detail, remedy: null }
}

/** Something that stands in a client's way, and what helps. */
export function failed(name: string, detail: string, remedy: string): Finding {
  return { name, ok: false, detail, remedy }
}

/** Runs a look; where it fails altogether, that is the finding. */
export async function runUrlCheck(name: string, run: () => Promise<Finding | readonly Finding[]>): Promise<Finding[]> {
  try {
    return [await run()].flat()
  } catch (error) {
    return [
      failed(
        name,
        `could not be looked at: ${describeError(error)}`,
        'Look at the log of the server and of the proxy.',
      ),
    ]
  }
}

/** An error in one line; of a failed connection what it failed by. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message || errorCodeOf(error) : error.message
}

/** The code of a failed connection, such as `ECONNREFUSED`. */
export function errorCodeOf(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: { code?: unknown } }
  return String(code ?? cause?.code ?? '')
}
