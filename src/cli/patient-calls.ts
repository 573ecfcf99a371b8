import { setTimeout as sleep } from 'node:timers/promises'
import { callJson } from './call-json.ts'
import { ClientError } from './client-error.ts'
import type { Server } from './server.ts'

const pauseMs = 2000
/** A window of the limit of calls is one minute long. */
const maxPauses = 60

/** Runs a call again while the server says that there are too many. Throws what it throws at last. */
export async function whenAllowed<T>(run: () => Promise<T>): Promise<T> {
  for (let pause = 1; ; pause++) {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof ClientError) || error.code !== 'RATE_LIMITED' || pause === maxPauses) throw error
      await sleep(pauseMs)
    }
  }
}

/** `callJson` that waits out the limits of calls a minute. */
export function callPatiently(
  server: Server,
  method: string,
  request: { path: string; body?: object },
): Promise<Record<string, unknown>> {
  return whenAllowed(() => callJson(server, method, request))
}
