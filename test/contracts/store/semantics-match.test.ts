import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as groups from '../../db/embedded/cases/match.ts'
import type { MatchCase } from '../../db/embedded/cases/match.ts'
import { stores } from '../../support/stores.ts'
import type { OpenStore } from '../../support/stores.ts'
import { answer, engineOf, fill, sameCode, skipWhereItDiffers } from './semantics.ts'
import type { Engine } from './semantics.ts'

describe.for(stores)('filters on the %s store', ([name, open]) => {
  let store: OpenStore
  let engine: Engine
  beforeAll(async () => {
    store = await open()
    engine = await engineOf(name, store.db)
  })
  afterAll(() => store.close())

  describe.for(Object.entries(groups))('%s', ([, cases]) => {
    test.for([...cases])('%s', async ([, docs, filter, found, differs]: MatchCase, context) => {
      skipWhereItDiffers(context, engine, differs)
      await fill(
        store.db,
        'match',
        docs.map((doc, _id) => ({ _id, ...doc })),
      )
      const ids = await answer(
        store.db
          .collection('match')
          .find(filter)
          .sort({ _id: 1 })
          .map(({ _id }) => Number(_id))
          .toArray(),
      )
      if (typeof found === 'number') expect(ids).toEqual({ code: expect.toSatisfy(sameCode(engine, found)) })
      else expect(ids).toEqual(found)
    })
  })
})
