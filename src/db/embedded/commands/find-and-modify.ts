import { Double, Int32 } from 'bson'
import type { Value } from '../bson/values.ts'
import { prepareQuery, rowProjection } from '../engine/execute.ts'
import { CommandError } from '../errors/command-error.ts'
import { deleteRow } from '../storage/records.ts'
import type { Row } from '../storage/records.ts'
import { flag, optionalDoc } from './arguments.ts'
import { findCollection } from './command.ts'
import type { Call, Command } from './command.ts'
import { encodeWithRaw, Raw } from './reply.ts'
import { updateRow, updaterOf, upsertRow } from './update.ts'

type Outcome = { n: number; updatedExisting?: boolean; upserted?: Value; value: Uint8Array | undefined }

export const findAndModify: Command = {
  kind: 'write',
  fields: ['query', 'sort', 'remove', 'update', 'new', 'fields', 'upsert'],
  retryable: true,
  run(call) {
    const from = { name: call.name, doc: call.body }
    // Compiled before the write, so that a refused projection leaves the data unchanged.
    const project = rowProjection(optionalDoc(from, 'fields'))
    const outcome = flag(from, 'remove') ? remove(call) : modify(call)
    const value = outcome.value && project({ rowid: 0, bytes: outcome.value })
    const lastErrorObject = {
      n: new Int32(outcome.n),
      ...(outcome.updatedExisting !== undefined && { updatedExisting: outcome.updatedExisting }),
      ...(outcome.upserted !== undefined && { upserted: outcome.upserted }),
    }
    return encodeWithRaw([
      ['lastErrorObject', lastErrorObject],
      ['value', value ? new Raw(value) : null],
      ['ok', new Double(1)],
    ])
  },
}

function firstRow(call: Call): Row | undefined {
  const from = { name: call.name, doc: call.body }
  const query = {
    filter: optionalDoc(from, 'query') ?? {},
    sort: optionalDoc(from, 'sort') ?? {},
    limit: 1,
    deadline: call.deadline,
  }
  for (const row of prepareQuery(call.engine.connection, findCollection(call), query).rows()) return row
  return undefined
}

function remove(call: Call): Outcome {
  const from = { name: call.name, doc: call.body }
  for (const other of ['update', 'upsert', 'new']) {
    if (other === 'update' ? call.body['update'] !== undefined : flag(from, other)) {
      throw new CommandError('FailedToParse', `Cannot specify both '${other}' and remove=true`)
    }
  }
  const row = firstRow(call)
  const collection = findCollection(call)
  if (!row || !collection) return { n: 0, value: undefined }
  deleteRow(call.engine, collection, row)
  return { n: 1, value: row.bytes }
}

function modify(call: Call): Outcome {
  const from = { name: call.name, doc: call.body }
  if (call.body['update'] === undefined) {
    throw new CommandError('FailedToParse', 'Either an update or remove=true must be specified')
  }
  const updater = updaterOf(call, from, 'update')
  const filter = optionalDoc(from, 'query') ?? {}
  const row = firstRow(call)
  const after = flag(from, 'new')
  if (row) {
    const next = updateRow(call, row, { updater, filter })
    return { n: 1, updatedExisting: true, value: after ? (next ?? row.bytes) : row.bytes }
  }
  if (!flag(from, 'upsert')) return { n: 0, updatedExisting: false, value: undefined }
  const { id, bytes } = upsertRow(call, { updater, filter })
  return { n: 1, updatedExisting: false, upserted: id, value: after ? bytes : undefined }
}
