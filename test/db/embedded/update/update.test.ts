import { describe, expect, test } from 'vitest'
import type { Doc } from '../../../../src/db/embedded/bson/values.ts'
import { compileUpdate } from '../../../../src/db/embedded/update/compile.ts'
import { upsertSeed } from '../../../../src/db/embedded/update/upsert.ts'
import { arrayCases, fieldCases, numberCases, positionCases, upserts, wholeCases } from '../cases/update.ts'
import type { UpdateCase, UpsertCase } from '../cases/update.ts'
import { outcome, show, typed, typedValue } from '../typed.ts'

const scope = { now: new Date(1_700_000_000_123) }

function applied(before: object, update: object, options: { filter?: object } = {}) {
  const updater = compileUpdate(typedValue(update) as Doc | Doc[], scope)
  return updater.apply(typed(before), { inserting: false, filter: typed(options.filter ?? {}) })
}

const groups = { fieldCases, numberCases, arrayCases, positionCases, wholeCases }

describe.for(Object.entries(groups))('updates: %s', ([, cases]) => {
  test.for([...cases])('%s', ([, before, update, after, options]: UpdateCase) => {
    const result = outcome(() => applied({ _id: 1, ...before }, update, options))
    if (typeof after === 'number' || typeof result === 'number') expect(result).toBe(after)
    else expect(show(result.doc)).toBe(show(typed({ _id: 1, ...after })))
  })

  test.for([...cases])(
    'says whether bytes changed, and leaves its input alone: %s',
    ([, before, update, , options]) => {
      const doc = typed({ _id: 1, ...before })
      const result = outcome(() => {
        const updater = compileUpdate(typedValue(update) as Doc | Doc[], scope)
        return updater.apply(doc, { inserting: false, filter: typed(options?.filter ?? {}) })
      })
      expect(show(doc)).toBe(show(typed({ _id: 1, ...before })))
      if (typeof result === 'number') return
      expect(result.changed).toBe(show(result.doc) !== show(doc))
      if (!result.changed) expect(result.doc).toBe(doc)
    },
  )
})

describe('upserts', () => {
  test.for(upserts)('%s', ([, filter, update, made]: UpsertCase) => {
    const result = outcome(() => {
      const updater = compileUpdate(typedValue(update) as Doc | Doc[], scope)
      return updater.apply(upsertSeed(typed(filter)), { inserting: true, filter: typed(filter) }).doc
    })
    expect(typeof result === 'number' ? result : show(result)).toBe(typeof made === 'number' ? made : show(typed(made)))
  })

  test('refuse a field that the filter compares twice, in the words of MongoDB', () => {
    const filter = typed({ $and: [{ a: 1 }, { a: 2 }] })
    expect(() => upsertSeed(filter)).toThrow("cannot infer query fields to set, path 'a' is matched twice")
  })
})

test('$$NOW in a pipeline is the time of the command', () => {
  expect(show(applied({ _id: 1 }, [{ $set: { at: '$$NOW' } }]).doc)).toBe(show({ ...typed({ _id: 1 }), at: scope.now }))
})

test('two positions of one element are refused', () => {
  const update = { $set: { 'a.$.x': 1, 'a.0.y': 2 } }
  expect(outcome(() => applied({ a: [{ k: 1 }] }, update, { filter: { 'a.k': 1 } }))).toBe(40)
})

test('a replacement is marked as one', () => {
  expect(compileUpdate({}, scope).isReplacement).toBe(true)
  expect(compileUpdate(typed({ $set: { a: 1 } }), scope).isReplacement).toBe(false)
  expect(compileUpdate([], scope).isReplacement).toBe(false)
})

test('one compiled update serves many documents', () => {
  const updater = compileUpdate(typed({ $inc: { n: 1 }, $push: { log: { $each: ['x'], $slice: -2 } } }), scope)
  const made = [1, 2, 3].map((n) => updater.apply(typed({ n, log: ['a', 'b'] }), { inserting: false, filter: {} }).doc)
  expect(made.map(show)).toEqual([2, 3, 4].map((n) => show(typed({ n, log: ['b', 'x'] }))))
})

test('fields named like those of every object are ordinary fields', () => {
  const doc = typed(JSON.parse('{"_id": 1, "__proto__": {"x": 1}}') as object)
  const update = typed(JSON.parse('{"$set": {"constructor": 2, "__proto__.y": 3}}') as object)
  const { doc: updated } = compileUpdate(update, scope).apply(doc, { inserting: false, filter: {} })
  const expected = JSON.parse('{"_id": 1, "__proto__": {"x": 1, "y": 3}, "constructor": 2}') as object
  expect(show(updated)).toBe(show(typed(expected)))
})
