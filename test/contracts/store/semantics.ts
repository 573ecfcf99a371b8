import type { Document, Long } from 'bson'
import { MongoServerError } from 'mongodb'
import type { Db } from 'mongodb'
import type { TestContext } from 'vitest'
import type { Differs } from '../../db/embedded/cases/differs.ts'

/** The engine of a store, distinguished by its known differences from MongoDB's server. */
export type Engine = 'mongodb' | 'documentdb'

/**
 * Distinguishes a gateway to DocumentDB from engines that claim to answer exactly like MongoDB. `name` is the name of
 * the store.
 */
export async function engineOf(name: string, db: Db): Promise<Engine> {
  if (name === 'embedded') return 'mongodb'
  const { gitVersion } = await db.command({ buildInfo: 1 })
  return String(gitVersion).includes('documentdb') ? 'documentdb' : 'mongodb'
}

/** Skips a case that the engine is known to answer differently from MongoDB's server. */
export function skipWhereItDiffers(context: TestContext, engine: Engine, differs: Differs | undefined): void {
  if (engine === 'documentdb' && differs) context.skip(`DocumentDB: ${differs.documentdb}`)
}

/** The code of a refusal. DocumentDB's gateway knows only named codes and reports all others as 8. */
export function sameCode(engine: Engine, wanted: number): (code: unknown) => boolean {
  return (code) => Number(code) === wanted || (engine === 'documentdb' && wanted > 10_000 && Number(code) === 8)
}

/** Returns the reply to a command, or the error code with which the server refuses it. */
export async function answer<T>(promise: Promise<T>): Promise<T | { code: number }> {
  try {
    return await promise
  } catch (error) {
    if (error instanceof MongoServerError) return { code: Number(error.code) }
    throw error
  }
}

/** Replaces the contents of a collection. */
export async function fill(db: Db, name: string, docs: readonly Document[]): Promise<void> {
  const collection = db.collection(name)
  await collection.deleteMany({})
  if (docs.length > 0) await collection.insertMany(docs.map((doc) => ({ ...doc })))
}

/** Runs one update. Its refusal is reported as a write error. */
export async function update(
  db: Db,
  name: string,
  statement: Document,
): Promise<{ code: number } | { modified: number }> {
  const reply = await answer(db.command({ update: name, updates: [statement] }))
  if ('code' in reply) return { code: Number(reply.code) }
  const [error] = (reply['writeErrors'] ?? []) as { code: number }[]
  return error ? { code: Number(error.code) } : { modified: Number(reply['nModified'] as number | Long) }
}
