import { Double, Int32, Long } from 'bson'
import { optionalCount, optionalDoc, requiredText } from './arguments.ts'
import { decode, decodeFields } from '../bson/bytes.ts'
import { findCollection } from './command.ts'
import type { Call, Command } from './command.ts'
import { filterRoots, rootOf } from '../query/filter-parts.ts'
import { encodeKey } from '../storage/keys.ts'
import { prepareQuery } from '../engine/query.ts'
import type { Query } from '../engine/query.ts'
import { getPath } from '../bson/compare.ts'
import type { Value } from '../bson/compare.ts'
import { hintOf } from './find.ts'

export const count: Command = {
  kind: 'read',
  fields: ['query', 'limit', 'skip', 'hint'],
  refused: ['collation'],
  run(call) {
    const n = countRows(call)
    return { n: n > 2 ** 31 - 1 ? Long.fromNumber(n) : new Int32(n), ok: new Double(1) }
  },
}

function countRows(call: Call): number {
  const query = countQuery(call)
  const collection = findCollection(call)
  const whole = Object.keys(query.filter).length === 0 && query.limit === 0 && query.skip === 0
  if (collection && whole && query.hint === undefined) {
    return call.view.connection.get<[number]>(`SELECT count(*) FROM c${collection.id}`)?.[0] ?? 0
  }
  const rows = prepareQuery(call.view, collection, query).rows()[Symbol.iterator]()
  let n = 0
  while (!rows.next().done) n += 1
  return n
}

/** The query that a `count` command describes. */
export function countQuery(call: Call): Query {
  const from = { name: call.name, doc: call.body }
  return {
    filter: optionalDoc(from, 'query') ?? {},
    skip: optionalCount(from, 'skip') ?? 0,
    limit: optionalCount(from, 'limit') ?? 0,
    hint: hintOf(call),
    scope: call.scope,
    deadline: call.deadline,
  }
}

export const distinct: Command = {
  kind: 'read',
  fields: ['key', 'query', 'hint'],
  refused: ['collation'],
  transactional: true,
  run(call) {
    const path = requiredText({ name: call.name, doc: call.body }, 'key')
    const { filter, ...query } = distinctQuery(call)
    const roots = filterRoots(filter)?.add(rootOf(path))
    const found = new Map<string, Value>()
    for (const { bytes } of prepareQuery(call.view, findCollection(call), { filter, ...query }).rows()) {
      for (const value of getPath(roots ? decodeFields(bytes, roots) : decode(bytes), path)) {
        for (const one of Array.isArray(value) ? value : [value]) {
          if (one !== undefined) found.set(encodeKey(one).toString('latin1'), one)
        }
      }
    }
    return { values: [...found.values()], ok: new Double(1) }
  },
}

/** The query that a `distinct` command describes. */
export function distinctQuery(call: Call): Query {
  const filter = optionalDoc({ name: call.name, doc: call.body }, 'query') ?? {}
  return { filter, hint: hintOf(call), scope: call.scope, deadline: call.deadline }
}
