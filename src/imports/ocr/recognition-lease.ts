import type { Clock, Log } from '../../core/context.ts'
import type { Recognition, RecognitionStores } from './recognition-store.ts'

export interface RecognitionLease {
  /** Aborted when another worker has the book, the recognition was replaced, or this worker stops. */
  readonly signal: AbortSignal
  /**
   * Stores a change and renews the lease, unless the change ends it. Returns the account, or null if this worker no
   * longer has the book.
   */
  change(change: Partial<Recognition>): Promise<string | null>
  stopHeartbeat(): Promise<void>
}

interface LeaseServices extends Clock, RecognitionStores {
  log: Log
  leaseDurationMs: number
}

/** Keeps a claimed recognition with three heartbeats per lease period. Without them, another worker may continue it. */
export function startRecognitionLease(
  { recognitions, now, log, leaseDurationMs }: LeaseServices,
  { itemId, accountId, fence, stop }: Pick<Recognition, 'itemId' | 'accountId'> & { fence: string; stop: AbortSignal },
): RecognitionLease {
  const lost = new AbortController()
  const change = async (fields: Partial<Recognition>) => {
    const leaseUntil = new Date(now().getTime() + leaseDurationMs)
    const isHeld = await recognitions.update(itemId, fence, { leaseUntil, ...fields })
    if (!isHeld) lost.abort(new Error('another worker has the book, or its recognition was replaced'))
    return isHeld ? accountId : null
  }
  let lastHeartbeat: Promise<unknown> = Promise.resolve()
  const heartbeat = () => {
    lastHeartbeat = lastHeartbeat
      .then(() => change({}))
      .catch((err) => log.warn({ err, itemId }, 'could not renew the lease of a recognition'))
  }
  const timer = setInterval(heartbeat, Math.floor(leaseDurationMs / 3))
  return {
    signal: AbortSignal.any([lost.signal, stop]),
    change,
    async stopHeartbeat() {
      clearInterval(timer)
      await lastHeartbeat
    },
  }
}
