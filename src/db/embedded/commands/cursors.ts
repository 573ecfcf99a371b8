import { Int32, Long } from 'bson'
import { toExactInteger } from '../bson/numbers.ts'
import { CommandError } from '../errors/command-error.ts'
import { optionalArray, optionalCount, requiredText } from './arguments.ts'
import { collectionName } from './command.ts'
import type { Command } from './command.ts'
import { cursorReply } from './reply.ts'

export const getMore: Command = {
  kind: 'read',
  fields: ['collection', 'batchSize'],
  run(call) {
    const from = { name: call.name, doc: call.body }
    const id = toExactInteger(call.body['getMore'])
    if (id === undefined) throw new CommandError('TypeMismatch', 'getMore needs a cursor id of type long')
    const ns = `${call.db}.${requiredText(from, 'collection')}`
    const batchSize = optionalCount(from, 'batchSize') || Number.POSITIVE_INFINITY
    const batch = call.engine.cursors.advance(id, ns, batchSize)
    return cursorReply({ id: batch.done ? 0n : id, ns, batch: 'nextBatch' }, batch.documents)
  },
}

export const killCursors: Command = {
  kind: 'none',
  fields: ['cursors'],
  run(call) {
    collectionName(call)
    const ids = optionalArray({ name: call.name, doc: call.body }, 'cursors') ?? []
    const killed: Long[] = []
    const notFound: Long[] = []
    for (const value of ids) {
      const id = toExactInteger(value)
      if (id === undefined) throw new CommandError('TypeMismatch', 'killCursors needs cursor ids of type long')
      const list = call.engine.cursors.kill(id) ? killed : notFound
      list.push(Long.fromBigInt(id))
    }
    return { cursorsKilled: killed, cursorsNotFound: notFound, cursorsAlive: [], cursorsUnknown: [], ok: new Int32(1) }
  },
}
