/** Returns whether a call is not refused. */
export async function passes(call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call()
    return true
  } catch {
    return false
  }
}
