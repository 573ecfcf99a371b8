import type { Catalog, Collection } from '../storage/catalog.ts'
import type { Cursors } from '../engine/cursors.ts'
import { CommandError } from '../errors/command-error.ts'
import type { Store } from '../storage/records.ts'
import type { Reply } from './reply.ts'
import type { View } from '../engine/scan.ts'
import type { Storage } from '../storage/sqlite.ts'
import type { Doc, Scope, Value } from '../bson/compare.ts'

/** What all commands work on. */
export type Engine = {
  readonly storage: Storage
  readonly catalog: Catalog
  readonly cursors: Cursors
  /** The address that clients connected to, as `hello` answers it. */
  readonly address: string
}

/** One command on its way: what the client sent and what it may touch. */
export type Call = {
  readonly engine: Engine
  readonly name: string
  readonly db: string
  readonly body: Doc
  /** Documents that came beside the body (OP_MSG document sequences), still as bytes. */
  readonly sequences: ReadonlyMap<string, readonly Buffer[]>
  readonly view: View
  readonly scope: Scope
  readonly deadline: number | undefined
  /** The logical session in hex. */
  readonly session: string | undefined
  /** True in a multi-document transaction. */
  readonly inTransaction: boolean
}

export type Command = {
  /** `write` runs in an SQLite transaction, `read` sees what is committed or its own transaction, `none` touches no data. */
  readonly kind: 'read' | 'write' | 'none'
  /** Every field it takes beside the generic ones; any other is refused. */
  readonly fields: readonly string[]
  /** Fields of MongoDB's that this store refuses, unless they say what holds anyway (false). */
  readonly refused?: readonly string[]
  /** True when it may be part of a multi-document transaction. */
  readonly transactional?: boolean
  /** True when a driver may send it a second time under the same transaction number. */
  readonly retryable?: boolean
  readonly run: (call: Call) => Reply
}

/** The name of the collection that the command is for: the value of its first field. */
export function collectionName({ name, body }: Call): string {
  const value: Value = body[name]
  if (typeof value !== 'string') {
    throw new CommandError('InvalidNamespace', `collection name has invalid type for ${name}`)
  }
  if (value === '') throw new CommandError('InvalidNamespace', `Invalid namespace specified for ${name}`)
  return value
}

/** The collection that the command is for, or undefined when it does not exist (for this caller). */
export function findCollection(call: Call, name = collectionName(call)): Collection | undefined {
  const collection = call.engine.catalog.get(call.db, name)
  return collection?.uncommitted && !call.inTransaction ? undefined : collection
}

/** The collection that a write goes to, made on its first document. */
export function ensureCollection(call: Call): Collection {
  const name = collectionName(call)
  return findCollection(call, name) ?? call.engine.catalog.create(call.db, name, { uncommitted: call.inTransaction })
}

/** Where the command's documents are written. */
export function storeOf({ engine }: Call): Store {
  return { catalog: engine.catalog, writer: engine.storage.writer }
}
