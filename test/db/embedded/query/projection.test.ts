import { describe, expect, test } from 'vitest'
import { compileProjection } from '../../../../src/db/embedded/query/projection.ts'
import { projectCases } from '../cases/project.ts'
import type { ProjectCase } from '../cases/project.ts'
import { outcome, show, typed } from '../typed.ts'

const scope = { now: new Date(0) }

describe('projections', () => {
  test.for(projectCases)('%s', ([, doc, projection, out, options]: ProjectCase) => {
    const before = typed({ _id: 1, ...doc })
    const result = outcome(() =>
      compileProjection(typed(projection), { ...scope, filter: typed(options?.filter ?? {}) })(before),
    )
    expect(typeof result === 'number' ? result : show(result)).toBe(typeof out === 'number' ? out : show(typed(out)))
    expect(show(before)).toBe(show(typed({ _id: 1, ...doc })))
  })
})

test('$meta is refused', () => {
  expect(outcome(() => compileProjection(typed({ score: { $meta: 'textScore' } }), scope))).toBe(2)
})

test('an expression may use the variables of the command', () => {
  const project = compileProjection(typed({ v: '$$mine', at: '$$NOW' }), { ...scope, variables: { mine: 'x' } })
  expect(project(typed({ _id: 1 }))).toEqual({ ...typed({ _id: 1 }), v: 'x', at: scope.now })
})
