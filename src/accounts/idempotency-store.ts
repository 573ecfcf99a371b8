import { createHash } from 'node:crypto'
import type { Collection, Db } from 'mongodb'
import type { Context } from '../context.ts'
import { AppError, isDuplicateKey } from '../errors.ts'
import { newId } from '../ids.ts'

export interface Idempotency {
  /**
   * Runs a create once per `Idempotency-Key`, account and tool: a repeat within 24 hours gets the first answer. After a
   * crash in the middle the repeat runs again with the same new id, so that it finds what the first one made.
   */
  once<T>(ctx: Context, call: { name: string; raw: unknown }, run: (ctx: Context) => Promise<T>): Promise<T>
}

interface Row {
  _id: string
  fingerprint: string
  seed: string
  startedAt: Date
  expiresAt: Date
  /** JSON of the answer; null while the first call runs. */
  answer: string | null
}

const keepMs = 24 * 60 * 60 * 1000
const leaseMs = 60_000

/** Remembered answers on MongoDB: collection `idempotency`. */
export function createIdempotency(db: Db): Idempotency {
  const rows = db.collection<Row>('idempotency')
  return {
    async once<T>(ctx: Context, { name, raw }: { name: string; raw: unknown }, run: (ctx: Context) => Promise<T>) {
      const _id = sha256([ctx.actor.id, name, ctx.idempotencyKey])
      const row = await claim(rows, { _id, fingerprint: fingerprintOf(raw), at: ctx.now() })
      if (row.answer !== null) return JSON.parse(row.answer) as T
      try {
        const answer = await run({ ...ctx, newId: () => row.seed })
        await rows.updateOne({ _id }, { $set: { answer: JSON.stringify(answer) } })
        return answer
      } catch (error) {
        // The caller may repeat at once: a refusal is forgotten, an unfinished run is free to be taken over.
        if (error instanceof AppError) await rows.deleteOne({ _id, answer: null })
        else await rows.updateOne({ _id, answer: null }, { $set: { startedAt: new Date(0) } })
        throw error
      }
    },
  }
}

async function claim(rows: Collection<Row>, call: { _id: string; fingerprint: string; at: Date }): Promise<Row> {
  const { _id, fingerprint, at } = call
  const expiresAt = new Date(at.getTime() + keepMs)
  const fresh: Row = { _id, fingerprint, seed: newId(at), startedAt: at, expiresAt, answer: null }
  try {
    await rows.insertOne(fresh)
    return fresh
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
  }
  const row = await rows.findOne({ _id })
  if (row && row.fingerprint !== fingerprint) {
    throw new AppError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used with another request. Use a new key.')
  }
  if (row?.answer != null) return row
  const taken = await rows.findOneAndUpdate(
    { _id, answer: null, startedAt: { $lt: new Date(at.getTime() - leaseMs) } },
    { $set: { startedAt: at } },
    { returnDocument: 'after' },
  )
  if (taken) return taken
  throw new AppError('TRANSIENT_CONFLICT', 'The same request is still running. Retry in a second.', {
    retryAfterSeconds: 1,
    details: { retryAfterSeconds: 1 },
  })
}

function fingerprintOf(raw: unknown): string {
  try {
    return sha256([raw])
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new AppError('INVALID_INPUT', 'The request is nested too deeply.')
  }
}

function sha256(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}
