import type { Collection, CollectionOptions, Db } from 'mongodb'

/** What is asked before each operation on the store. */
export interface OperationGuard {
  /** The signal that ends a read, aborted when it must not begin; undefined where nothing ends it. A `quick` one takes no time. */
  beforeRead(byId: boolean): AbortSignal | undefined
  /** Throws when a write must not begin. */
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
 * How long the store works on a read of a call, ms: shorter than the driver waits for an answer, which would then ask again
 * while the first query still runs.
 */
const readTimeoutMs = 25_000

/** The same database, with a guard that each operation on a collection of it passes. Operations that it does not know are missing. */
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

/** Rows by their `_id`s never take long: there it would cost more to listen for the end of the call than to go on. */
function isLookup(subject: unknown): boolean {
  const [[field, value] = [], ...others] = Object.entries(subject as object)
  return field === '_id' && others.length === 0 && (typeof value === 'string' || Array.isArray(value?.$in))
}
