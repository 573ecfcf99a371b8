import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as expressions from '../../db/embedded/cases/expressions.ts'
import type { ExpressionCase } from '../../db/embedded/cases/expressions.ts'
import { projectionOf, refusalOf } from '../../db/embedded/cases/expressions.ts'
import * as stages from '../../db/embedded/cases/stages.ts'
import type { StageCase } from '../../db/embedded/cases/stages.ts'
import { raw, show, typed, typedDocs } from '../../db/embedded/typed.ts'
import { stores } from '../../support/stores.ts'
import type { OpenStore } from '../../support/stores.ts'
import { answer, engineOf, fill, sameCode, skipWhereItDiffers } from './semantics.ts'
import type { Engine } from './semantics.ts'

const expressionGroups = Object.entries(expressions).flatMap(([name, group]) =>
  Array.isArray(group) ? [[name, group] as const] : [],
)

describe.for(stores)('aggregation on the %s store', ([name, open]) => {
  let store: OpenStore
  let engine: Engine
  beforeAll(async () => {
    store = await open()
    engine = await engineOf(name, store.db)
  })
  afterAll(() => store.close())

  describe.for(expressionGroups)('expressions: %s', ([, cases]) => {
    test.for([...cases])('%s', async ([, expression, value, doc = {}, differs]: ExpressionCase, context) => {
      skipWhereItDiffers(context, engine, differs)
      await fill(store.db, 'expression', [{ _id: 1, ...doc }])
      const found = await answer(store.db.collection('expression').aggregate(projectionOf(expression), raw).toArray())
      const code = refusalOf(value)
      if (code !== undefined) expect(found).toEqual({ code: expect.toSatisfy(sameCode(engine, code)) })
      else expect(show(found)).toBe(show([typed(value === undefined ? {} : { value })]))
    })
  })

  describe.for(Object.entries(stages))('stages: %s', ([, cases]) => {
    test.for([...cases])('%s', async ([, docs, pipeline, out, options]: StageCase, context) => {
      skipWhereItDiffers(context, engine, options?.differs)
      await fill(store.db, 'stage', docs)
      await fill(store.db, 'other', options?.other ?? [])
      const found = await answer(store.db.collection('stage').aggregate(pipeline, raw).toArray())
      if (typeof out === 'number') expect(found).toEqual({ code: expect.toSatisfy(sameCode(engine, out)) })
      else expect(show(found)).toBe(show(typedDocs(out)))
    })
  })
})
