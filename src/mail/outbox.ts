import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../core/context.ts'
import { describeDeliveryFailure, isPermanentFailure } from './delivery-failure.ts'
import type { Mailer, MailMessage } from './mailer.ts'
import { isSingleAddress } from './mail-settings.ts'
import type { Deliver } from './smtp-delivery.ts'
import { createSemaphore } from '../runtime/semaphore.ts'

export interface Outbox extends Mailer {
  /** Waits for the mails that were taken over; none is tried more than once from now on, and none after `timeoutMs`. */
  close(timeoutMs: number): Promise<void>
}

export interface OutboxOptions {
  /** How long to wait before each further try, ms. */
  retryDelaysMs: readonly number[]
  /** How long one try may take, ms. */
  attemptTimeoutMs: number
  /** Deliveries at a time. */
  concurrency: number
  /** Mails on their way at most; further ones are dropped, so that a mail server that hangs costs no memory. */
  maxPending: number
}

const defaultOptions: OutboxOptions = {
  // Mail servers that greylist want minutes between tries.
  retryDelaysMs: [10_000, 60_000, 10 * 60_000],
  attemptTimeoutMs: 60_000,
  concurrency: 4,
  maxPending: 1000,
}

/** How long deliveries have to notice that they were cut, ms. */
const abortTimeoutMs = 500

/**
 * The mails of this process on their way out. They are in memory only, because they hold links that nobody else may read:
 * what the end of the process leaves behind is asked for anew by whoever misses it.
 */
export function createOutbox(deliver: Deliver, log: Log, overrides: Partial<OutboxOptions> = {}): Outbox {
  const options = { ...defaultOptions, ...overrides }
  const [closing, aborting] = [new AbortController(), new AbortController()]
  const deliverWithRetries = createRetryingDelivery({
    deliver,
    log,
    options,
    closing: closing.signal,
    abort: aborting.signal,
  })
  const running = new Set<Promise<void>>()

  function composeAndSend(compose: () => Promise<MailMessage | null>): void {
    if (running.size >= options.maxPending) {
      log.error({ waiting: running.size }, 'a mail was dropped: too many wait')
      return
    }
    const run = composeAndDeliver(compose)
    running.add(run)
    void run.finally(() => running.delete(run))
  }

  async function composeAndDeliver(compose: () => Promise<MailMessage | null>): Promise<void> {
    try {
      const message = await compose()
      if (message) await deliverWithRetries(message)
    } catch (err) {
      log.error({ err }, 'a mail could not be composed')
    }
  }

  return {
    composeAndSend,
    async send(message) {
      if (!isSingleAddress(message.to)) throw new Error('A mail goes to exactly one address')
      composeAndSend(async () => message)
    },
    async close(timeoutMs) {
      closing.abort()
      const allSettled = Promise.all(running)
      await waitAtMost(allSettled, timeoutMs)
      aborting.abort()
      await waitAtMost(allSettled, abortTimeoutMs)
    },
  }
}

/** Waits for the end of something, but not longer than `ms`. */
async function waitAtMost(promise: Promise<unknown>, timeoutMs: number): Promise<void> {
  const timer = new AbortController()
  await Promise.race([promise, delay(timeoutMs, undefined, { signal: timer.signal }).catch(() => {})])
  timer.abort()
}

interface RetryingDeliveryOptions {
  deliver: Deliver
  log: Log
  options: OutboxOptions
  /** Aborted: do not wait for a further try. */
  closing: AbortSignal
  /** Aborted: give up. */
  abort: AbortSignal
}

/** Tries to deliver a mail until it was taken, refused for good or tried often enough; logs what failed. */
function createRetryingDelivery({
  deliver,
  log,
  options,
  closing,
  abort,
}: RetryingDeliveryOptions): (message: MailMessage) => Promise<void> {
  const limitConcurrency = createSemaphore(options.concurrency)
  const attemptDelivery = (message: MailMessage) =>
    limitConcurrency(() => deliver(message, AbortSignal.any([abort, AbortSignal.timeout(options.attemptTimeoutMs)])))
  return async (message) => {
    if (!isSingleAddress(message.to)) throw new Error('A mail goes to exactly one address')
    for (const retryDelayMs of [...options.retryDelaysMs, null]) {
      try {
        return await attemptDelivery(message)
      } catch (error) {
        const isLastAttempt = retryDelayMs === null || isPermanentFailure(error) || closing.aborted
        const fields = { ...describeDeliveryFailure(error), retryInMs: isLastAttempt ? null : retryDelayMs }
        if (isLastAttempt) return log.error(fields, 'a mail was not sent')
        log.warn(fields, 'a mail was not sent yet')
        await delay(retryDelayMs, undefined, { signal: closing, ref: false }).catch(() => {})
      }
    }
  }
}
