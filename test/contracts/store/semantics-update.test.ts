import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  arrayCases,
  fieldCases,
  numberCases,
  positionCases,
  upserts,
  wholeCases,
} from '../../db/embedded/cases/update.ts'
import type { UpdateCase, UpsertCase } from '../../db/embedded/cases/update.ts'
import { raw, show, typed } from '../../db/embedded/typed.ts'
import { stores } from '../../support/stores.ts'
import type { OpenStore } from '../../support/stores.ts'
import { engineOf, fill, sameCode, skipWhereItDiffers, update } from './semantics.ts'
import type { Engine } from './semantics.ts'

const groups = { fieldCases, numberCases, arrayCases, positionCases, wholeCases }

describe.for(stores)('updates on the %s store', ([name, open]) => {
  let store: OpenStore
  let engine: Engine
  beforeAll(async () => {
    store = await open()
    engine = await engineOf(name, store.db)
  })
  afterAll(() => store.close())

  const only = async (collection: string) => show((await store.db.collection(collection).find({}, raw).toArray())[0])

  describe.for(Object.entries(groups))('%s', ([, cases]) => {
    test.for([...cases])('%s', async ([, before, change, after, options]: UpdateCase, context) => {
      skipWhereItDiffers(context, engine, options?.differs)
      const doc = { _id: 1, ...before }
      await fill(store.db, 'update', [doc])
      const { filter = {} } = options ?? {}
      const reply = await update(store.db, 'update', { q: filter, u: change })
      const expected = show(typed(typeof after === 'number' ? doc : { _id: 1, ...after }))
      expect(await only('update')).toBe(expected)
      if (typeof after === 'number') expect(reply).toEqual({ code: expect.toSatisfy(sameCode(engine, after)) })
      else expect(reply).toEqual({ modified: expect.any(Number) })
    })
  })

  describe('upserts', () => {
    test.for(upserts)('%s', async ([, filter, change, made]: UpsertCase) => {
      await fill(store.db, 'upsert', [])
      const reply = await update(store.db, 'upsert', { q: filter, u: change, upsert: true })
      if (typeof made === 'number') expect(reply).toEqual({ code: expect.toSatisfy(sameCode(engine, made)) })
      else expect(await only('upsert')).toBe(show(typed(made)))
    })
  })
})
