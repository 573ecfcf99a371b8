import { Binary, Long } from 'bson'
import { flag, optionalCount, optionalDoc } from '../commands/arguments.ts'
import { decode, decodeExcept } from '../bson/bytes.ts'
import { withVariables } from '../commands/scope.ts'
import type { Call, Command, Engine } from '../commands/command.ts'
import { commands } from '../commands/registry.ts'
import { CommandError } from '../errors/command-error.ts'
import { isNumber, toDouble, toExactInteger } from '../bson/numbers.ts'
import { asDoc } from '../bson/compare.ts'
import type { Doc } from '../bson/compare.ts'
import type { Request } from './wire.ts'

/** A command that has passed the checks which are the same for all. */
export type Prepared = {
  command: Command
  call: Call
  /** The number that marks a retryable write, or all commands of one transaction. */
  number: number | undefined
  /** False for a write concern with `j: false`: the reply does not wait for the disk. */
  synced: boolean
  /** Set when it is part of a multi-document transaction; `starts` on the first command of one. */
  transaction: { starts: boolean } | undefined
}

// A comment has no effect in MongoDB either; read preference and cluster time mean nothing to a single server.
const generic = new Set([
  '$db',
  'lsid',
  '$clusterTime',
  '$readPreference',
  'readConcern',
  'writeConcern',
  'maxTimeMS',
  'comment',
])
const numbered = new Set(['txnNumber', 'autocommit', 'startTransaction'])

/** Decodes a request, finds its command and refuses every field that is not known to take effect. */
export function prepare(engine: Engine, request: Request): Prepared {
  const name = request.body.toString('utf8', 5, request.body.indexOf(0, 5))
  const body = name === 'insert' ? decodeExcept(request.body, 'documents') : decode(request.body)
  const command = commands.get(name)
  if (!command) throw new CommandError('CommandNotFound', `no such command: '${name}'`)
  const db = request.database ?? body.$db
  if (typeof db !== 'string') throw new CommandError('IDLFailedToParse', 'OP_MSG requests require a $db argument')
  for (const field of Object.keys(body).slice(1)) checkField({ name, command, body, field })
  for (const field of request.sequences.keys()) {
    if (!command.fields.includes(field)) throw unknownField(name, field)
  }
  const synced = checkConcerns({ name, doc: body })
  const { number, transaction } = numbersOf({ name, doc: body }, command)
  const maxTime = optionalCount({ name, doc: body }, 'maxTimeMS')
  const variables = command.fields.includes('let') ? optionalDoc({ name, doc: body }, 'let') : undefined
  const call: Call = {
    engine,
    name,
    db,
    body,
    sequences: request.sequences,
    view: { connection: engine.storage.writer },
    scope: withVariables({ now: new Date() }, variables),
    deadline: maxTime ? Date.now() + maxTime : undefined,
    session: sessionOf(body),
    inTransaction: transaction !== undefined,
  }
  return { command, call, number, synced, transaction }
}

function unknownField(name: string, field: string): CommandError {
  return new CommandError('IDLUnknownField', `BSON field '${name}.${field}' is an unknown field.`)
}

function checkField({
  name,
  command,
  body,
  field,
}: {
  name: string
  command: Command
  body: Doc
  field: string
}): void {
  if (generic.has(field) || numbered.has(field) || command.fields.includes(field)) return
  if (!command.refused?.includes(field)) throw unknownField(name, field)
  if (body[field] === false || isSimpleCollation(field, body)) return
  throw new CommandError('CommandNotSupported', `'${field}' of ${name} is not supported by this store`)
}

/** The collation that is in force anyway. */
function isSimpleCollation(field: string, body: Doc): boolean {
  const collation = field === 'collation' ? asDoc(body.collation) : undefined
  return collation !== undefined && Object.keys(collation).length === 1 && collation.locale === 'simple'
}

const levels = new Set(['local', 'available', 'majority', 'linearizable', 'snapshot'])

/** One server that answers after the disk has it fulfils every level of both concerns that one server can. */
/** Whether the write concern waits for the disk. */
function checkConcerns(from: { name: string; doc: Doc }): boolean {
  const read = optionalDoc(from, 'readConcern') ?? {}
  for (const [field, value] of Object.entries(read)) {
    if (field !== 'level') throw unknownField('readConcern', field)
    if (typeof value !== 'string' || !levels.has(value)) {
      throw new CommandError(
        'BadValue',
        `Enumeration value '${String(value)}' for field 'readConcern.level' is not valid`,
      )
    }
  }
  const write = optionalDoc(from, 'writeConcern') ?? {}
  for (const [field, value] of Object.entries(write)) {
    if (!['w', 'j', 'wtimeout', 'fsync', 'provenance'].includes(field)) throw unknownField('writeConcern', field)
    const members = field === 'w' && isNumber(value) ? toDouble(value) : 1
    if (members > 1 || members < 0 || (field === 'w' && typeof value === 'string' && value !== 'majority')) {
      throw new CommandError('UnsatisfiableWriteConcern', 'Not enough data-bearing nodes')
    }
  }
  return write.j !== false
}

function numbersOf(from: { name: string; doc: Doc }, command: Command): Pick<Prepared, 'number' | 'transaction'> {
  const { name, doc } = from
  const transaction = doc.autocommit === false ? { starts: flag(from, 'startTransaction') } : undefined
  if (doc.txnNumber === undefined) {
    if (doc.autocommit === undefined && doc.startTransaction === undefined) return { number: undefined, transaction }
    throw new CommandError('InvalidOptions', "'autocommit' and 'startTransaction' need a txnNumber")
  }
  const number = doc.txnNumber instanceof Long ? toExactInteger(doc.txnNumber) : undefined
  if (number === undefined)
    throw new CommandError('TypeMismatch', `BSON field '${name}.txnNumber' must be of type long`)
  if (sessionOf(doc) === undefined) throw new CommandError('InvalidOptions', 'Transaction number requires a session ID')
  if (transaction && !command.transactional) {
    throw new CommandError(
      'OperationNotSupportedInTransaction',
      `Cannot run '${name}' in a multi-document transaction.`,
    )
  }
  if (!transaction && !command.retryable) {
    throw new CommandError('InvalidOptions', `txnNumber may only be provided for retryable writes, not for '${name}'`)
  }
  return { number: Number(number), transaction }
}

function sessionOf(body: Doc): string | undefined {
  if (body.lsid === undefined) return undefined
  const id = asDoc(body.lsid)?.id
  if (id instanceof Binary && id.length() === 16) return id.toString('hex')
  throw new CommandError('TypeMismatch', "BSON field 'lsid.id' must be a UUID")
}
