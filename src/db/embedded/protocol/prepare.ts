import { Binary, Long } from 'bson'
import { decode, decodeExcept } from '../bson/bytes.ts'
import { isNumber, toDouble, toExactInteger } from '../bson/numbers.ts'
import { asDoc } from '../bson/values.ts'
import type { Doc } from '../bson/values.ts'
import { optionalCount, optionalDoc, refuseUnknown } from '../commands/arguments.ts'
import type { Arguments } from '../commands/arguments.ts'
import type { Call, Command, Engine } from '../commands/command.ts'
import { commands } from '../commands/registry.ts'
import { CommandError } from '../errors/command-error.ts'
import type { Request } from './wire.ts'

/** A command that has passed the general checks. */
export type Prepared = {
  command: Command
  call: Call
  /** The transaction number of a retryable write. */
  number: number | undefined
  /** False for a write concern with `j: false`: the reply does not wait for the disk. */
  synced: boolean
}

/** Fields that every command accepts. Read preference has no effect on a single server. */
export const genericFields: readonly string[] = [
  '$db',
  'lsid',
  'txnNumber',
  'maxTimeMS',
  'writeConcern',
  '$readPreference',
]

/** The accepted fields of a write concern. */
export const writeConcernFields: readonly string[] = ['w', 'j']

/** Decodes a request, finds its command and refuses fields that would have no effect. */
export function prepare(engine: Engine, request: Request): Prepared {
  if (request.refusal) throw request.refusal
  const name = commandName(request)
  const body = name === 'insert' ? decodeExcept(request.body, 'documents') : decode(request.body)
  const command = commands.get(name)
  if (!command) throw new CommandError('CommandNotFound', `no such command: '${name}'`)
  const from = { name, doc: body }
  refuseTransaction(from)
  const { [name]: _, ...fields } = body
  refuseUnknown({ name, doc: fields }, [...genericFields, ...command.fields])
  for (const field of request.sequences.keys()) refuseUnknown({ name, doc: { [field]: null } }, command.fields)
  const db = request.database ?? body['$db']
  if (typeof db !== 'string') throw new CommandError('IDLFailedToParse', 'OP_MSG requests require a $db argument')
  const maxTime = optionalCount(from, 'maxTimeMS')
  const call: Call = {
    engine,
    name,
    db,
    body,
    sequences: request.sequences,
    scope: { now: new Date() },
    deadline: maxTime ? Date.now() + maxTime : undefined,
    session: sessionOf(body),
  }
  return { command, call, number: numberOf(from, command), synced: isSynced(from) }
}

/** The name of a command: the first field of its body. */
export function commandName({ body }: Request): string {
  return body.toString('utf8', 5, body.indexOf(0, 5))
}

function refuseTransaction({ name, doc }: Arguments): void {
  if (doc['autocommit'] === undefined && doc['startTransaction'] === undefined) return
  const message = `Cannot run '${name}' in a multi-document transaction: this store has none.`
  throw new CommandError('OperationNotSupportedInTransaction', message)
}

/** True if the write concern waits for the disk; there is only one server to acknowledge. */
function isSynced(from: Arguments): boolean {
  const concern = optionalDoc(from, 'writeConcern') ?? {}
  refuseUnknown({ name: 'writeConcern', doc: concern }, writeConcernFields)
  const { w = 'majority', j } = concern
  const members = isNumber(w) ? toDouble(w) : 1
  if (members > 1 || members < 0 || (!isNumber(w) && w !== 'majority')) {
    throw new CommandError('UnsatisfiableWriteConcern', 'Not enough data-bearing nodes')
  }
  return j !== false
}

function numberOf({ name, doc }: Arguments, command: Command): number | undefined {
  if (doc['txnNumber'] === undefined) return undefined
  const number = doc['txnNumber'] instanceof Long ? toExactInteger(doc['txnNumber']) : undefined
  if (number === undefined) {
    throw new CommandError('TypeMismatch', `BSON field '${name}.txnNumber' must be of type long`)
  }
  if (sessionOf(doc) === undefined) throw new CommandError('InvalidOptions', 'Transaction number requires a session ID')
  if (command.retryable) return Number(number)
  throw new CommandError('InvalidOptions', `txnNumber may only be provided for retryable writes, not for '${name}'`)
}

function sessionOf(body: Doc): string | undefined {
  if (body['lsid'] === undefined) return undefined
  const id = asDoc(body['lsid'])?.['id']
  if (id instanceof Binary && id.length() === 16) return id.toString('hex')
  throw new CommandError('TypeMismatch', "BSON field 'lsid.id' must be a UUID")
}
