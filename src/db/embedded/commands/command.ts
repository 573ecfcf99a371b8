import type { Scope } from '../aggregation/operators.ts'
import type { Doc, Value } from '../bson/values.ts'
import type { Cursors } from '../engine/cursors.ts'
import { CommandError } from '../errors/command-error.ts'
import type { Collection } from '../storage/catalog.ts'
import type { Store } from '../storage/records.ts'
import type { Reply } from './reply.ts'

/** What all commands work on. */
export type Engine = Store & {
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
  /** Document sequences of the message (OP_MSG, kind 1), as bytes, by the field that they stand for. */
  readonly sequences: ReadonlyMap<string, readonly Buffer[]>
  readonly scope: Scope
  /** The time (`Date.now()`) at which `maxTimeMS` is over. */
  readonly deadline: number | undefined
  /** The logical session in hex. */
  readonly session: string | undefined
}

export type Command = {
  /** `write` runs in an SQLite transaction, `read` is not run for a client that has gone, `none` touches no data. */
  readonly kind: 'read' | 'write' | 'none'
  /** Every field that it takes in addition to the generic ones; any other is refused. */
  readonly fields: readonly string[]
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

/** The collection that the command is for, or undefined when it does not exist. */
export function findCollection(call: Call, name = collectionName(call)): Collection | undefined {
  return call.engine.catalog.get(call.db, name)
}

/** The collection that a write goes to, created with its first document. */
export function ensureCollection(call: Call): Collection {
  return findCollection(call) ?? call.engine.catalog.create(call.db, collectionName(call))
}
