import { BSONRegExp } from 'bson'
import { asDoc, fieldOf, setField } from '../bson/values.ts'
import type { Doc, Value } from '../bson/values.ts'
import { CommandError } from '../errors/command-error.ts'
import { isOperatorDoc } from '../query/match.ts'

/** The fields that an upsert copies from its filter: those compared for equality, including inside `$and`. */
export function upsertSeed(filter: Doc): Doc {
  const equalities = new Map<string, Value>()
  collect(filter, equalities)
  const seed: Doc = {}
  const paths = [...equalities.keys()].sort((a, b) => Number(b === '_id') - Number(a === '_id'))
  for (const path of paths) setPath(seed, path, equalities.get(path))
  return seed
}

function collect(filter: Doc, found: Map<string, Value>): void {
  for (const name of Object.keys(filter)) {
    const argument = filter[name]
    if (name === '$and' || (name === '$or' && Array.isArray(argument) && argument.length === 1)) {
      for (const clause of Array.isArray(argument) ? argument : []) collect(asDoc(clause) ?? {}, found)
    } else if (!name.startsWith('$')) {
      for (const value of equalTo(argument)) {
        if (found.has(name)) throw matchedTwice(name)
        found.set(name, value)
      }
    }
  }
}

/** The values that a condition requires equality with: `x`, `{$eq: x}`, `{$in: [x]}`. */
function equalTo(argument: Value): Value[] {
  if (argument instanceof BSONRegExp) return []
  if (!isOperatorDoc(argument)) return [argument]
  const operators = asDoc(argument) ?? {}
  const values: Value[] = []
  for (const name of ['$eq', '$in']) {
    const operand = fieldOf(operators, name)
    if (operand === undefined) continue
    const candidates = name !== '$eq' && Array.isArray(operand) ? operand : [operand]
    const plain = name === '$eq' || !(candidates[0] instanceof BSONRegExp || isOperatorDoc(candidates[0]))
    if (candidates.length === 1 && plain) values.push(candidates[0])
  }
  return values
}

function matchedTwice(path: string): CommandError {
  return new CommandError('NotSingleValueField', `cannot infer query fields to set, path '${path}' is matched twice`)
}

function setPath(seed: Doc, path: string, value: Value): void {
  const parts = path.split('.')
  const last = parts.pop() ?? ''
  let doc = seed
  for (const part of parts) {
    const known = fieldOf(doc, part)
    const next = known === undefined ? {} : asDoc(known)
    if (!next) throw matchedTwice(path)
    if (known === undefined) setField(doc, part, next)
    doc = next
  }
  if (fieldOf(doc, last) !== undefined) throw matchedTwice(path)
  setField(doc, last, value)
}
