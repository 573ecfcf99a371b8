import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../core/context.ts'
import { describeFailure, isFinal } from './delivery-failure.ts'
import type { Mail, MailMessage } from './mailer.ts'
import { isOneAddress } from './mail-settings.ts'
import type { Deliver } from './smtp-delivery.ts'
import { createTurns } from '../runtime/semaphore.ts'

export interface Outbox extends Mail {
  /** Waits for the mails that were taken over; none is tried more than once from now on, and none after `timeoutMs`. */
  close(timeoutMs: number): Promise<void>
}

export interface OutboxOptions {
  /** How long to wait before each further try, ms. */
  retryAfterMs: readonly number[]
  /** How long one try may take, ms. */
  attemptMs: number
  /** Deliveries at a time. */
  atOnce: number
  /** Mails on their way at most; further ones are dropped, so that a mail server that hangs costs no memory. */
  most: number
}

const defaults: OutboxOptions = {
  // Mail servers that greylist want minutes between tries.
  retryAfterMs: [10_000, 60_000, 10 * 60_000],
  attemptMs: 60_000,
  atOnce: 4,
  most: 1000,
}

/** How long deliveries have to notice that they were cut, ms. */
const cutMs = 500

/**
 * The mails of this process on their way out. They are in memory only, because they hold links that nobody else may read:
 * what the end of the process leaves behind is asked for anew by whoever misses it.
 */
export function createOutbox(deliver: Deliver, log: Log, given: Partial<OutboxOptions> = {}): Outbox {
  const options = { ...defaults, ...given }
  const [closing, cut] = [new AbortController(), new AbortController()]
  const tries = createTries({ deliver, log, options, closing: closing.signal, cut: cut.signal })
  const running = new Set<Promise<void>>()

  function sendLater(compose: () => Promise<MailMessage | null>): void {
    if (running.size >= options.most) {
      log.error({ waiting: running.size }, 'a mail was dropped: too many wait')
      return
    }
    const run = composeAndTry(compose)
    running.add(run)
    void run.finally(() => running.delete(run))
  }

  async function composeAndTry(compose: () => Promise<MailMessage | null>): Promise<void> {
    try {
      const message = await compose()
      if (message) await tries(message)
    } catch (err) {
      log.error({ err }, 'a mail could not be composed')
    }
  }

  return {
    sendLater,
    async send(message) {
      if (!isOneAddress(message.to)) throw new Error('A mail goes to exactly one address')
      sendLater(async () => message)
    },
    async close(timeoutMs) {
      closing.abort()
      const ended = Promise.all(running)
      await waitFor(ended, timeoutMs)
      cut.abort()
      await waitFor(ended, cutMs)
    },
  }
}

/** Waits for the end of something, but not longer than `ms`. */
async function waitFor(end: Promise<unknown>, ms: number): Promise<void> {
  const timer = new AbortController()
  await Promise.race([end, delay(ms, undefined, { signal: timer.signal }).catch(() => {})])
  timer.abort()
}

interface TriesOptions {
  deliver: Deliver
  log: Log
  options: OutboxOptions
  /** Aborted: do not wait for a further try. */
  closing: AbortSignal
  /** Aborted: give up. */
  cut: AbortSignal
}

/** Tries to deliver a mail until it was taken, refused for good or tried often enough; logs what failed. */
function createTries({ deliver, log, options, closing, cut }: TriesOptions): (message: MailMessage) => Promise<void> {
  const inTurn = createTurns(options.atOnce)
  const once = (message: MailMessage) =>
    inTurn(() => deliver(message, AbortSignal.any([cut, AbortSignal.timeout(options.attemptMs)])))
  return async (message) => {
    if (!isOneAddress(message.to)) throw new Error('A mail goes to exactly one address')
    for (const retryInMs of [...options.retryAfterMs, null]) {
      try {
        return await once(message)
      } catch (error) {
        const last = retryInMs === null || isFinal(error) || closing.aborted
        const note = { ...describeFailure(error), retryInMs: last ? null : retryInMs }
        if (last) return log.error(note, 'a mail was not sent')
        log.warn(note, 'a mail was not sent yet')
        await delay(retryInMs, undefined, { signal: closing, ref: false }).catch(() => {})
      }
    }
  }
}
