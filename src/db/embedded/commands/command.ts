import type { Scope } from '../aggregation/operators.ts'
import type { Doc, Value } from '../bson/values.ts'
import type { Cursors } from '../engine/cursors.ts'
import { CommandError } from '../errors/command-error.ts'
import type { Collection } from '../storage/catalog.ts'
import type { Store } from '../storage/records.ts'
import type { Reply } from './reply.ts'

/** The shared state of all commands. */
export type Engine = Store & {
  readonly cursors: Cursors
  /** The address that clients connected to, as reported by `hello`. */
  readonly address: string
}

/** A command in progress: the client's request and the engine. */
export type Call = {
  readonly engine: Engine
  readonly name: string
  readonly db: string
  readonly body: Doc
  /** Document sequences of the message (OP_MSG, kind 1) as bytes, by the field that they replace. */
  readonly sequences: ReadonlyMap<string, readonly Buffer[]>
  readonly scope: Scope
  /** The time (`Date.now()`) at which `maxTimeMS` expires. */
  readonly deadline: number | undefined
  /** The logical session in hex. */
  readonly session: string | undefined
}

export type Command = {
  /**
   * `write` runs in an SQLite transaction, `read` is skipped if the client has disconnected, `none` accesses no data.
   */
  readonly kind: 'read' | 'write' | 'none'
  /** The accepted fields besides the generic ones; others are refused. */
  readonly fields: readonly string[]
  /** True if a driver may retry it with the same transaction number. */
  readonly retryable?: boolean
  readonly run: (call: Call) => Reply
}

/** The name of the target collection: the value of the command's first field. */
export function collectionName({ name, body }: Call): string {
  const value: Value = body[name]
  if (typeof value !== 'string') {
    throw new CommandError('InvalidNamespace', `collection name has invalid type for ${name}`)
  }
  if (value === '') throw new CommandError('InvalidNamespace', `Invalid namespace specified for ${name}`)
  return value
}

/** The target collection, or undefined if it does not exist. */
export function findCollection(call: Call, name = collectionName(call)): Collection | undefined {
  return call.engine.catalog.get(call.db, name)
}

/** The target collection of a write; creates it if it does not exist. */
export function ensureCollection(call: Call): Collection {
  return findCollection(call) ?? call.engine.catalog.create(call.db, collectionName(call))
}
