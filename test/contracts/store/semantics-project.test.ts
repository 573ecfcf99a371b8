import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectCases } from '../../db/embedded/cases/project.ts'
import type { ProjectCase } from '../../db/embedded/cases/project.ts'
import { raw, show, typed } from '../../db/embedded/typed.ts'
import { stores } from '../../support/stores.ts'
import type { OpenStore } from '../../support/stores.ts'
import { answer, engineOf, fill, sameCode, skipWhereItDiffers } from './semantics.ts'
import type { Engine } from './semantics.ts'

describe.for(stores)('projections on the %s store', ([name, open]) => {
  let store: OpenStore
  let engine: Engine
  beforeAll(async () => {
    store = await open()
    engine = await engineOf(name, store.db)
  })
  afterAll(() => store.close())

  test.for(projectCases)('%s', async ([, doc, projection, out, options]: ProjectCase, context) => {
    skipWhereItDiffers(context, engine, options?.differs)
    await fill(store.db, 'project', [{ _id: 1, ...doc }])
    const cursor = store.db.collection('project').find({}, { ...raw, projection })
    const found = await answer(cursor.toArray())
    if (typeof out === 'number') expect(found).toEqual({ code: expect.toSatisfy(sameCode(engine, out)) })
    else expect(show(found)).toBe(show([typed(out)]))
  })
})
