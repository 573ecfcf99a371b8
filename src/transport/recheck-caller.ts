const checks = new WeakMap<Request, () => Promise<unknown>>()

/** A body that arrives faster is not checked for, ms: revoking a credential takes effect for the next request. */
const fastBodyMs = 1000

/**
 * Sets the check of a request's credential, which `startBody` repeats. Without it, a caller could send all but the last
 * byte of a request, and complete it after the credential was revoked.
 */
export function recheckAfterSlowBody(request: Request, check: () => Promise<unknown>): void {
  checks.set(request, check)
}

/**
 * Call it before the body of a request is read, and the returned function when the body is complete. If that took long,
 * the function refuses a credential that is no longer valid.
 */
export function startBody(request: Request): () => Promise<void> {
  const started = performance.now()
  return async () => {
    if (performance.now() - started > fastBodyMs) await checks.get(request)?.()
  }
}
