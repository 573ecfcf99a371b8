import type { Collection, CollectionOptions, Db } from 'mongodb'

/** Hooks called before each operation on the database. */
export interface OperationGuard {
  /**
   * The abort signal for a read; already aborted if the read must not start, undefined if nothing can abort it. `byId`:
   * a fast lookup.
   */
  beforeRead(byId: boolean): AbortSignal | undefined
  /** Throws if a write must not start. */
  beforeWrite(): void
}

const readOperations = ['find', 'findOne', 'aggregate', 'countDocuments'] as const
const writeOperations = [
  'insertOne',
  'insertMany',
  'updateOne',
  'updateMany',
  'replaceOne',
  'deleteOne',
  'deleteMany',
  'findOneAndUpdate',
  'findOneAndReplace',
  'findOneAndDelete',
  'bulkWrite',
] as const

/**
 * Maximum run time of a read, ms. It is shorter than the driver's socket timeout, after which the driver would retry
 * while the first query still runs.
 */
const readTimeoutMs = 25_000

/** Wraps a database so that every collection operation calls the guard first. Unlisted operations are not available. */
export function guardDb(db: Db, guard: OperationGuard): Db {
  const collection = (name: string, options?: CollectionOptions) => guardCollection(db.collection(name, options), guard)
  return Object.create(db, { collection: { value: collection } })
}

type Operation = (...inputs: unknown[]) => unknown

function guardCollection(collection: Collection, { beforeRead, beforeWrite }: OperationGuard): Collection {
  const operations: Record<string, Operation> = {}
  for (const name of readOperations) {
    const read = collection[name].bind(collection) as Operation
    operations[name] = (filter = name === 'aggregate' ? [] : {}, options = {}) => {
      const signal = beforeRead(isLookup(filter))
      return read(filter, signal ? { maxTimeMS: readTimeoutMs, ...(options as object), signal } : options)
    }
  }
  for (const name of writeOperations) {
    const write = collection[name].bind(collection) as Operation
    operations[name] = async (...inputs) => {
      beforeWrite()
      return write(...inputs)
    }
  }
  return operations as unknown as Collection
}

/** True for lookups by `_id`, which are too fast to need an abort signal. */
function isLookup(subject: unknown): boolean {
  const [[field, value] = [], ...others] = Object.entries(subject as object)
  return field === '_id' && others.length === 0 && (typeof value === 'string' || Array.isArray(value?.$in))
}
