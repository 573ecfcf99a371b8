import { setTimeout as delay } from 'node:timers/promises'

/** How a part of a server is, in words for administrators. */
export interface Condition {
  ok: boolean
  /** What was observed. */
  detail: string
  /** What an administrator can do about it; also of a part that is switched off. Null: nothing. */
  remedy: string | null
}

/** A check that costs a few bounded queries at most, so that a page can run it. `lectern doctor` runs it too. */
export interface HealthCheck {
  name: string
  /** The part that it looks at, as a heading. */
  title: string
  look(): Promise<Condition>
  /** What an administrator can do if the check fails or does not end. */
  remedy: string
}

export interface PartHealth extends Condition, Pick<HealthCheck, 'name' | 'title'> {}

/** A part that is well. */
export const well = (detail: string): Condition => ({ ok: true, detail, remedy: null })

/** A part that is switched off or could be better, which is no fault. */
export const improvable = (detail: string, remedy: string): Condition => ({ ok: true, detail, remedy })

/** A part that needs an administrator. */
export const unwell = (detail: string, remedy: string): Condition => ({ ok: false, detail, remedy })

/** Runs checks beside each other, each for at most `limitMs` ms, in the given order. Never rejects. */
export function runHealthChecks(checks: readonly HealthCheck[], limitMs = 3000): Promise<PartHealth[]> {
  return Promise.all(
    checks.map(async ({ name, title, look, remedy }) => ({ name, title, ...(await lookFor(look, remedy, limitMs)) })),
  )
}

async function lookFor(look: HealthCheck['look'], remedy: string, limitMs: number): Promise<Condition> {
  const timer = new AbortController()
  const late = delay(limitMs, undefined, { signal: timer.signal }).then(() =>
    unwell(`There was no answer within ${limitMs / 1000} seconds.`, remedy),
  )
  try {
    return await Promise.race([look(), late])
  } catch (error) {
    return unwell(`This could not be checked: ${error instanceof Error ? error.message : String(error)}`, remedy)
  } finally {
    late.catch(() => {})
    timer.abort()
  }
}
