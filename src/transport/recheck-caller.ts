interface Checked {
  check: () => Promise<unknown>
  at: number
}

const checks = new WeakMap<Request, Checked>()

/** A body that arrives faster is not checked for, ms: revoking a credential takes effect for the next request. */
const fastBodyMs = 1000

/**
 * Sets the check of a request's credential, which has just passed and which `endBody` repeats. Without it, a caller could send all but the last
 * byte of a request, and complete it after the credential was revoked.
 */
export function recheckAfterSlowBody(request: Request, check: () => Promise<unknown>): void {
  checks.set(request, { check, at: performance.now() })
}

/**
 * Call it when the body of a request is complete. If the check of its credential was long ago, because the body arrived slowly or
 * the request waited for its turn, it refuses a credential that is no longer valid.
 */
export async function endBody(request: Request): Promise<void> {
  const checked = checks.get(request)
  if (checked && performance.now() - checked.at > fastBodyMs) await checked.check()
}
