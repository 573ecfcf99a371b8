import type { Call } from '../core/context.ts'
import { AppError } from '../core/errors.ts'
import { createSlots } from '../runtime/slots.ts'

/** The maximum number of costly calls of a caller that run, or whose large answers are being sent, at a time. */
export const callerPlaces = 2
/** The maximum time that a call waits for its turn, ms. Most clients have given up by then. */
const maxWaitMs = 2 * 60_000

/** Lets costly calls of a caller run a few at a time, so that no caller takes up the memory and the store of all. */
export interface CostlyCalls {
  /**
   * Runs the work of a call when fewer calls of its caller run. A caller without an account is its client address. The call ends
   * with its work, or with `endWhenSent`. Throws the reason of its signal if its client disconnects while it waits, and UNAVAILABLE
   * after two minutes.
   */
  run<T>(call: Call, work: () => Promise<T>): Promise<T>
}

export interface CostlyCallServices {
  costlyCalls: CostlyCalls
}

/** Creates the slots for costly calls in this process. */
export function createCostlyCalls(): CostlyCalls {
  const slots = createSlots({ perKey: callerPlaces, total: Infinity, maxWaitingPerKey: Infinity, maxWaitMs })
  return {
    async run({ actor, clientAddress, signal, endWhenSent }, work) {
      const isAnonymous = actor.credential.kind === 'none'
      const end = await slots.take(isAnonymous ? `visitor ${clientAddress}` : actor.id, signal)
      if (!end) throw new AppError('UNAVAILABLE', waitedTooLong, { retryAfterSeconds: 5 })
      try {
        const output = await work()
        if (endWhenSent) endWhenSent(end)
        else end()
        return output
      } catch (error) {
        end()
        throw error
      }
    },
  }
}

const waitedTooLong = 'Too many of your calls are waiting. Retry when some have been answered.'
