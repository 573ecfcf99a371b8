import { Double } from 'bson'
import { decodeFields } from '../bson/bytes.ts'
import { getPath } from '../bson/path.ts'
import type { Value } from '../bson/values.ts'
import { prepareQuery } from '../engine/execute.ts'
import type { Query } from '../engine/execute.ts'
import { filterRoots, rootOf } from '../query/filter-parts.ts'
import { encodeKey } from '../storage/keys.ts'
import { optionalDoc, requiredText } from './arguments.ts'
import { findCollection } from './command.ts'
import type { Call, Command } from './command.ts'

/** The distinct values of a field; arrays contribute their elements. */
export const distinct: Command = {
  kind: 'read',
  fields: ['key', 'query'],
  run(call) {
    const path = requiredText({ name: call.name, doc: call.body }, 'key')
    const query = distinctQuery(call)
    const roots = filterRoots(query.filter).add(rootOf(path))
    const found = new Map<string, Value>()
    for (const { bytes } of prepareQuery(call.engine.connection, findCollection(call), query).rows()) {
      for (const value of getPath(decodeFields(bytes, roots), path)) {
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
  return { filter: optionalDoc({ name: call.name, doc: call.body }, 'query') ?? {}, deadline: call.deadline }
}
