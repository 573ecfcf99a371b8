import { ClientDisconnected } from '../core/cancellation.ts'
import type { Call } from '../core/context.ts'
import { AppError } from '../core/errors.ts'
import { createSlots } from '../runtime/slots.ts'

/** The maximum number of costly calls of a caller that run, or whose large answers are being sent, at a time. */
export const callerPlaces = 2
/** The same for other calls: a third of the connections to the store, and more than programs need. */
export const ordinaryPlaces = 16
/** The maximum number of messages of an account over MCP, and of its calls over REST with a body, that arrive or are answered at a time. */
export const messagePlaces = 16
/** The maximum number of pages of an account that are made or sent at a time; browsers ask for six files at a time. */
export const pagePlaces = 8
/** The maximum time that a call waits for its turn, ms. Most clients have given up by then. */
const maxWaitMs = 2 * 60_000

/** Lets calls of a caller run a few at a time, so that no caller takes up the memory and the store of all. */
export interface CallTurns {
  /**
   * Runs the work of a call when fewer calls of its caller run. A caller without an account is its client address. The call ends
   * with its work, or with `endWhenSent`. Throws ClientDisconnected if its client disconnects meanwhile, and UNAVAILABLE after two minutes.
   */
  run<T>(call: Call, work: () => Promise<T>): Promise<T>
}

/** The turns of calls in this process. A call takes turns of one kind; a message and a page also let their calls take theirs. */
export interface CallTurnServices {
  costlyCalls: CallTurns
  ordinaryCalls: CallTurns
  messages: CallTurns
  pageVisits: CallTurns
}

/** Creates the turns of calls in this process. */
export function createCallTurnServices(): CallTurnServices {
  return {
    costlyCalls: createCallTurns(callerPlaces),
    ordinaryCalls: createCallTurns(ordinaryPlaces),
    messages: createCallTurns(messagePlaces),
    pageVisits: createCallTurns(pagePlaces),
  }
}

/** Creates turns in which `places` calls of a caller run at a time. */
export function createCallTurns(places: number): CallTurns {
  const slots = createSlots({ perKey: places, total: Infinity, maxWaitingPerKey: Infinity, maxWaitMs })
  return {
    async run({ actor, clientAddress, signal, endWhenSent }, work) {
      const isAnonymous = actor.credential.kind === 'none'
      let end: (() => void) | null = null
      try {
        end = await slots.take(isAnonymous ? `visitor ${clientAddress}` : actor.id, signal)
        if (!end) throw new AppError('UNAVAILABLE', waitedTooLong, { retryAfterSeconds: 5 })
        const output = await work()
        if (endWhenSent) endWhenSent(end)
        else end()
        return output
      } catch (error) {
        end?.()
        throw signal.aborted && error === signal.reason ? new ClientDisconnected() : error
      }
    },
  }
}

const waitedTooLong = 'Too many of your calls are waiting. Retry when some have been answered.'
