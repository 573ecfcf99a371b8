import { describe, expect, test } from 'vitest'
import { compileProjection } from '../../../../src/db/embedded/query/projection.ts'
import { projectCases } from '../cases/project.ts'
import type { ProjectCase } from '../cases/project.ts'
import { outcome, show, typed } from '../typed.ts'

describe('projections', () => {
  test.for(projectCases)('%s', ([, doc, projection, out]: ProjectCase) => {
    const before = typed({ _id: 1, ...doc })
    const result = outcome(() => compileProjection(typed(projection))(before))
    expect(typeof result === 'number' ? result : show(result)).toBe(typeof out === 'number' ? out : show(typed(out)))
    expect(show(before)).toBe(show(typed({ _id: 1, ...doc })))
  })
})
