import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Collection, Db } from 'mongodb'
import type { Call } from '../core/context.ts'
import { AppError, isDuplicateKey } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { atMost } from '../runtime/at-most.ts'
import { unjournaled } from '../db/write-concern.ts'
import { createAnswerCipher } from './answer-cipher.ts'
import { createWindowCounter, type WindowRow } from './window-counter.ts'

export interface IdempotencyStore {
  /**
   * Runs a create once per `Idempotency-Key`, account and tool; a repeat within 24 hours gets the first answer, unless
   * the account has used 20,000 other keys on that day since. If the process of the first run has died, a repeat after
   * 15 seconds runs with the same new id and finds what the first run created. Refuses a key that was used for another
   * request (IDEMPOTENCY_KEY_REUSED) and a repeat of a running request (TRANSIENT_CONFLICT).
   */
  runOnce<C extends Call, T>(ctx: C, call: { name: string; raw: unknown }, run: (ctx: C) => Promise<T>): Promise<T>
}

export interface IdempotencyServices {
  idempotency: IdempotencyStore
}

interface IdempotencyRow {
  _id: string
  fingerprint: string
  seed: string
  startedAt: Date
  /** Id of the running request. */
  by?: string
  /** When another request may take over, unless the running one renews it. Missing in rows of earlier versions. */
  aliveUntil?: Date
  expiresAt: Date
  /** The slot of the answer among those of its account and day, which a later one takes over. Missing while the first call runs. */
  slot?: string
  /** The answer encrypted by `AnswerCipher`; null while the first call runs. */
  answer: string | null
}

const retentionMs = 24 * 60 * 60 * 1000
/** Time without a renewal after which a running request is considered dead, ms. */
const runLeaseMs = 15_000
/** The lease of a request of an earlier version, which renews nothing, in ms from its start. */
const formerRunLeaseMs = 60_000

/** The maximum number of keys of an account that are kept for a day: about 20 MB. */
const maxKeysPerDay = 20_000

/** Idempotent answers on MongoDB: collection `idempotency`; encrypted with a key that depends on `secret`. */
export function createIdempotencyStore(db: Db, secret: string, maxKeys = maxKeysPerDay): IdempotencyStore {
  const cipher = createAnswerCipher(secret)
  const rows = db.collection<IdempotencyRow>('idempotency')
  const takeSlot = createKeySlots(db, rows, maxKeys)
  // Id of the last request of this process that ended without an answer, by key. The row may still say that it runs.
  const endedRequests = new LRUCache<string, string>({ ...atMost(10_000), ttl: runLeaseMs })
  return {
    async runOnce(ctx, { name, raw }, run) {
      const _id = sha256([ctx.actor.id, name, ctx.idempotencyKey])
      const request = { _id, fingerprint: fingerprintOf(raw), at: ctx.now(), by: ctx.requestId }
      const row = await claim(rows, request, endedRequests.get(_id)).catch((error: unknown) => {
        if (!(error instanceof AppError)) endedRequests.set(_id, request.by)
        throw error
      })
      const idempotencyKey = String(ctx.idempotencyKey)
      if (row.answer !== null) return readAnswer(cipher.decrypt(row.answer, idempotencyKey))
      const stopRenewing = renewLease(rows, request, ctx.now)
      try {
        const answer = await run({ ...ctx, newId: () => row.seed })
        const kept = { answer: cipher.encrypt(answer, idempotencyKey), slot: await takeSlot(ctx) }
        await rows.updateOne({ _id }, { $set: kept })
        return answer
      } catch (error) {
        endedRequests.set(_id, request.by)
        await releaseKey(rows, request, error).catch((err: unknown) =>
          ctx.log.warn({ err }, 'could not release an idempotency key'),
        )
        throw error
      } finally {
        stopRenewing()
      }
    },
  }
}

/**
 * Returns a function that gives a key one of the slots of its account and day. When all are taken, the key of the earliest call loses
 * its slot, so that an account that sends new keys all day does not fill the disk.
 */
function createKeySlots(db: Db, rows: Collection<IdempotencyRow>, maxKeys: number) {
  const countInWindow = createWindowCounter(db.collection<WindowRow>('rates', unjournaled))
  return async ({ actor, now }: Call): Promise<string> => {
    const day = `${actor.id}:${now().toISOString().slice(0, 10)}`
    const { count } = await countInWindow({ key: `keys:${day}`, windowMs: 2 * retentionMs })
    const slot = `${day}:${count % maxKeys}`
    if (count > maxKeys) await rows.deleteMany({ slot })
    return slot
  }
}

/** Renews the lease of a running request, three times per lease, until the returned function is called. */
function renewLease(rows: Collection<IdempotencyRow>, { _id, by }: IdempotentRequest, now: () => Date): () => void {
  const renew = () => rows.updateOne({ _id, answer: null, by }, { $set: { aliveUntil: leaseEnd(now()) } })
  // A renewal that fails is repeated by the next one.
  const timer = setInterval(() => void renew().catch(() => {}), runLeaseMs / 3).unref()
  return () => clearInterval(timer)
}

function leaseEnd(at: Date): Date {
  return new Date(at.getTime() + runLeaseMs)
}

/**
 * Returns a stored answer. Refuses with IDEMPOTENCY_KEY_REUSED one that cannot be decrypted, because running the call
 * again could create the object twice.
 */
function readAnswer<T>(answer: unknown): T {
  if (answer !== undefined) return answer as T
  const message =
    'This request was answered before, and the answer cannot be read: the secret of the server has changed.'
  throw new AppError('IDEMPOTENCY_KEY_REUSED', `${message} Look for what it created; to create again, use a new key.`)
}

const ended = new Date(0)

/** Allows an immediate repeat: deletes the row of a refusal, and releases the row of a failed run for takeover. */
async function releaseKey(
  rows: Collection<IdempotencyRow>,
  { _id, by }: IdempotentRequest,
  error: unknown,
): Promise<void> {
  const ownRow = { _id, answer: null, by }
  if (error instanceof AppError) await rows.deleteOne(ownRow)
  else await rows.updateOne(ownRow, { $set: { startedAt: ended, aliveUntil: ended } })
}

interface IdempotentRequest {
  _id: string
  fingerprint: string
  at: Date
  by: string
}

/**
 * Inserts the row of a key, returns the existing one with its answer, or takes over a run that has ended
 * (`endedRequestId`) or has exceeded its lease.
 */
async function claim(
  rows: Collection<IdempotencyRow>,
  request: IdempotentRequest,
  endedRequestId: string | undefined,
): Promise<IdempotencyRow> {
  const { _id, fingerprint, at, by } = request
  const expiresAt = new Date(at.getTime() + retentionMs)
  const aliveUntil = leaseEnd(at)
  const newRow = { _id, fingerprint, seed: newId(at), startedAt: at, by, aliveUntil, expiresAt, answer: null }
  try {
    await rows.insertOne(newRow)
    return newRow
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
  }
  const row = await rows.findOne({ _id })
  if (row && row.fingerprint !== fingerprint) {
    throw new AppError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used with another request. Use a new key.')
  }
  if (row?.answer != null) return row
  const takenOver = await rows.findOneAndUpdate(
    {
      _id,
      answer: null,
      $or: [
        { aliveUntil: { $lt: at } },
        { aliveUntil: { $exists: false }, startedAt: { $lt: new Date(at.getTime() - formerRunLeaseMs) } },
        ...(endedRequestId ? [{ by: endedRequestId }] : []),
      ],
    },
    { $set: { startedAt: at, by, aliveUntil } },
    { returnDocument: 'after' },
  )
  if (takenOver) return takenOver
  throw new AppError('TRANSIENT_CONFLICT', 'The same request is still running. Retry in a second.', {
    retryAfterSeconds: 1,
    details: { retryAfterSeconds: 1 },
  })
}

function fingerprintOf(raw: unknown): string {
  try {
    // Nothing derived from a password is stored, not even a digest.
    return sha256([raw], (name, value) => (name === 'password' ? undefined : value))
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new AppError('INVALID_INPUT', 'The request body is nested too deeply. Send a flatter one.')
  }
}

function sha256(value: unknown, replacer?: (name: string, value: unknown) => unknown): string {
  return createHash('sha256').update(JSON.stringify(value, replacer)).digest('hex')
}
