import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../core/context.ts'
import { describeDeliveryFailure, isPermanentFailure, isRecipientRefused } from './delivery-failure.ts'
import type { Mailer, MailMessage } from './mailer.ts'
import { isSingleAddress } from './mail-settings.ts'
import { smtpTimes, type Deliver } from './smtp-delivery.ts'
import { createSemaphore } from '../runtime/semaphore.ts'

export interface Outbox extends Mailer {
  /**
   * Waits for queued mails, each of which gets at most one more attempt. Aborts the remaining deliveries after
   * `timeoutMs` ms.
   */
  close(timeoutMs: number): Promise<void>
}

export interface OutboxOptions {
  /** The delays before each further attempt, in ms. */
  retryDelaysMs: readonly number[]
  /** The time limit of one attempt, in ms. */
  attemptTimeoutMs: number
  /** The maximum number of concurrent deliveries. */
  concurrency: number
  /**
   * The maximum number of queued mails. Further ones are dropped, so that an unresponsive mail server does not exhaust
   * memory.
   */
  maxPending: number
}

const defaultOptions: OutboxOptions = {
  // Mail servers with greylisting need minutes between attempts.
  retryDelaysMs: [10_000, 60_000, 10 * 60_000],
  attemptTimeoutMs: smtpTimes.replyMs + 60_000,
  concurrency: 4,
  maxPending: 1000,
}

/** How long aborted deliveries may take to end, in ms. */
const abortTimeoutMs = 500

/**
 * The queue of outgoing mail, in memory only because mails hold secret links. Mails that are lost when the process ends
 * must be requested again by their recipients.
 */
export function createOutbox(deliver: Deliver, log: Log, overrides: Partial<OutboxOptions> = {}): Outbox {
  const options = { ...defaultOptions, ...overrides }
  const [closing, aborting] = [new AbortController(), new AbortController()]
  let problem: string | null = null
  const noteOutcome = (error: unknown) => {
    if (error === null) problem = null
    else if (!isRecipientRefused(error)) problem = describeDeliveryFailure(error).reason
  }
  const deliverWithRetries = createRetryingDelivery({
    deliver,
    noteOutcome,
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
    state: () => ({ waiting: running.size, problem }),
    async send(message) {
      if (!isSingleAddress(message.to)) throw new Error('A mail must have exactly one recipient address')
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

/** Waits for a promise, at most `timeoutMs` ms. */
async function waitAtMost(promise: Promise<unknown>, timeoutMs: number): Promise<void> {
  const timer = new AbortController()
  await Promise.race([promise, delay(timeoutMs, undefined, { signal: timer.signal }).catch(() => {})])
  timer.abort()
}

interface RetryingDeliveryOptions {
  deliver: Deliver
  /** Receives the error of each attempt, null if it succeeded. */
  noteOutcome(error: unknown): void
  log: Log
  options: OutboxOptions
  /** Aborted: make no further attempts. */
  closing: AbortSignal
  /** Aborted: end the current attempt. */
  abort: AbortSignal
}

/**
 * Returns a function that delivers a mail: it retries until the mail server accepts or permanently rejects the mail or
 * the attempts run out, and logs failures.
 */
function createRetryingDelivery({
  deliver,
  noteOutcome,
  log,
  options,
  closing,
  abort,
}: RetryingDeliveryOptions): (message: MailMessage) => Promise<void> {
  const limitConcurrency = createSemaphore(options.concurrency)
  const attemptDelivery = (message: MailMessage) =>
    limitConcurrency(() => deliver(message, AbortSignal.any([abort, AbortSignal.timeout(options.attemptTimeoutMs)])))
  return async (message) => {
    if (!isSingleAddress(message.to)) throw new Error('A mail must have exactly one recipient address')
    for (const retryDelayMs of [...options.retryDelaysMs, null]) {
      try {
        await attemptDelivery(message)
        return noteOutcome(null)
      } catch (error) {
        noteOutcome(error)
        const isLastAttempt = retryDelayMs === null || isPermanentFailure(error) || closing.aborted
        const fields = { ...describeDeliveryFailure(error), retryInMs: isLastAttempt ? null : retryDelayMs }
        if (isLastAttempt) return log.error(fields, 'a mail was not sent')
        log.warn(fields, 'a mail was not sent yet')
        await delay(retryDelayMs, undefined, { signal: closing, ref: false }).catch(() => {})
      }
    }
  }
}
