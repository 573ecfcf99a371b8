import type { Call } from '../core/context.ts'
import { AppError } from '../core/errors.ts'
import type { JobStores } from './store.ts'

/** Maximum number of waiting imports per account. */
export const maxWaitingImports = 200

const retryAfterSeconds = 30

/** Refuses with RATE_LIMITED while 200 imports of the caller wait. Concurrent calls may exceed the limit together. */
export async function requireQueueCapacity({ actor, jobs }: Call & JobStores): Promise<void> {
  if ((await jobs.countWaiting(actor.id)) < maxWaitingImports) return
  const message = `${maxWaitingImports} of your imports are waiting. Wait until some have ended, or cancel some with POST /api/v1/jobs/{jobId}/cancel; retry in ${retryAfterSeconds}s.`
  throw new AppError('RATE_LIMITED', message, { retryAfterSeconds })
}
