import { setTimeout as sleep } from 'node:timers/promises'
import { callJson } from './call-json.ts'
import { ClientError } from './client-error.ts'
import type { Server } from './server.ts'

const pauseMs = 2000
/** Maximum number of pauses; the window of the rate limit is one minute. */
const maxPauses = 60

/** Retries a call while it is rate limited. Throws its last error. */
export async function retryWhileRateLimited<T>(run: () => Promise<T>): Promise<T> {
  for (let pause = 1; ; pause++) {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof ClientError) || error.code !== 'RATE_LIMITED' || pause === maxPauses) throw error
      await sleep(pauseMs)
    }
  }
}

/** Like `callJson`, but waits when a rate limit is reached. */
export function callWithinRateLimit(
  server: Server,
  method: string,
  request: { path: string; body?: object },
): Promise<Record<string, unknown>> {
  return retryWhileRateLimited(() => callJson(server, method, request))
}
