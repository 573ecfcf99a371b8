import { describe, expect, test } from 'vitest'
import { compilePipeline, splitPipeline } from '../../../../src/db/embedded/aggregation/pipeline.ts'
import type { Doc } from '../../../../src/db/embedded/bson/values.ts'
import { compileFilter } from '../../../../src/db/embedded/query/match.ts'
import * as expressions from '../cases/expressions.ts'
import { projectionOf, refusalOf } from '../cases/expressions.ts'
import type { ExpressionCase } from '../cases/expressions.ts'
import * as stages from '../cases/stages.ts'
import type { StageCase } from '../cases/stages.ts'
import { outcome, show, typed, typedDocs } from '../typed.ts'

const scope = { now: new Date(0) }

function run(pipeline: object[], docs: readonly object[], other: readonly object[] = []): Doc[] {
  const find = (name: string, filter: Doc) => {
    const matches = compileFilter(filter)
    return name === 'other' ? typedDocs(other).filter((doc) => matches(doc)) : []
  }
  return [...compilePipeline(typedDocs(pipeline), { scope, find })(typedDocs(docs))]
}

const expressionGroups = Object.entries(expressions).flatMap(([name, group]) =>
  Array.isArray(group) ? [[name, group] as const] : [],
)

describe.for(expressionGroups)('expressions: %s', ([, cases]) => {
  test.for([...cases])('%s', ([, expression, value, doc = {}]: ExpressionCase) => {
    const result = outcome(() => run(projectionOf(expression), [{ _id: 1, ...doc }]))
    const expected = value === undefined ? {} : { value }
    expect(typeof result === 'number' ? result : show(result)).toBe(refusalOf(value) ?? show(typedDocs([expected])))
  })
})

describe.for(Object.entries(stages))('stages: %s', ([, cases]) => {
  test.for([...cases])('%s', ([, docs, pipeline, out, options]: StageCase) => {
    const result = outcome(() => run(pipeline, docs, options?.other))
    expect(typeof result === 'number' ? result : show(result)).toBe(
      typeof out === 'number' ? out : show(typedDocs(out)),
    )
  })
})

describe('the part of a pipeline that an index can answer', () => {
  test.for([
    ['nothing', [{ $project: { a: 1 } }], { rest: 1 }],
    ['$match', [{ $match: { a: 1 } }, { $project: { a: 1 } }], { filter: { a: 1 }, rest: 1 }],
    [
      'several $match',
      [{ $match: { a: 1 } }, { $match: { b: 1 } }],
      { filter: { $and: [{ a: 1 }, { b: 1 }] }, rest: 0 },
    ],
    [
      '$match, $sort and $limit',
      [{ $match: { a: 1 } }, { $sort: { b: 1 } }, { $limit: 5 }],
      { filter: { a: 1 }, sort: { b: 1 }, limit: 5, rest: 0 },
    ],
    ['$sort first', [{ $sort: { b: 1 } }, { $match: { a: 1 } }], { sort: { b: 1 }, rest: 1 }],
    ['$limit first, then $sort', [{ $limit: 5 }, { $sort: { b: 1 } }], { limit: 5, rest: 1 }],
    ['an invalid $limit is kept, so that it is refused', [{ $limit: 0 }], { rest: 1 }],
    ['an empty $sort is kept, so that it is refused', [{ $sort: {} }], { rest: 1 }],
  ] as const)('%s', ([, pipeline, { rest, ...expected }]) => {
    const { rest: left, limit, ...found } = splitPipeline(typedDocs(pipeline))
    const wanted = { limit: undefined, ...expected }
    expect(limit).toBe(wanted.limit)
    expect(show(found)).toBe(show(typed({ ...wanted, limit: undefined })))
    expect(left).toHaveLength(rest)
  })
})

test('a stage reads no more documents than it needs', () => {
  let taken = 0
  function* endless() {
    for (;;) yield typed({ _id: taken++ })
  }
  const first = compilePipeline(typedDocs([{ $project: { a: '$_id' } }, { $limit: 2 }]), { scope, find: () => [] })
  expect([...first(endless())]).toHaveLength(2)
  expect(taken).toBe(2)
})

test('$lookup queries the store by equality, so that an index is used', () => {
  const asked: string[] = []
  const find = (_name: string, filter: Doc) => {
    asked.push(show(filter))
    return []
  }
  const stage = { $lookup: { from: 'o', localField: 'a', foreignField: 'b', as: 'x' } }
  const docs = typedDocs([
    { _id: 1, a: 5 },
    { _id: 2, a: [6, 7] },
  ])
  void [...compilePipeline(typedDocs([stage]), { scope, find })(docs)]
  expect(asked).toEqual([{ b: { $eq: 5 } }, { b: { $in: [6, 7] } }].map((filter) => show(typed(filter))))
})
