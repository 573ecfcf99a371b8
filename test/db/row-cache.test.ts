import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeCached } from '../../src/db/row-cache.ts'
import { stores, type OpenStore } from '../support/stores.ts'

interface Row {
  _id: string
  title: string
  at: Date
  pages: number[]
}

describe.for(stores)('cached rows on %s', ([, open]) => {
  let store: OpenStore
  beforeAll(async () => {
    store = await open()
  })
  afterAll(() => store.close())

  test('a cached row is the same object until it changes', async () => {
    const rows = store.db.collection<Row>('remembered')
    const made: string[] = []
    const remembered = decodeCached(({ _id, ...rest }: Row) => {
      made.push(_id)
      return { id: _id, ...rest }
    })
    const read = async () => {
      const found = await rows.find<Uint8Array>({}, { raw: true }).sort({ _id: 1 }).toArray()
      return found.map(remembered)
    }
    const at = new Date('2026-01-02T03:04:05.678Z')
    await rows.insertMany([
      { _id: 'a', title: 'Ünïcode “text” 本 🙂', at, pages: [1, 2 ** 31, 2 ** 40, 0.5] },
      { _id: 'b', title: 'B', at, pages: [] },
    ])
    const [a, b] = await read()
    expect(a).toEqual({ id: 'a', title: 'Ünïcode “text” 本 🙂', at, pages: [1, 2 ** 31, 2 ** 40, 0.5] })
    expect(Object.isFrozen(a)).toBe(true)
    const [again, other] = await read()
    expect(again).toBe(a)
    expect(other).toBe(b)
    await rows.updateOne({ _id: 'a' }, { $set: { title: 'A' } })
    const [changed, unchanged] = await read()
    expect(changed).toEqual({ ...a, title: 'A' })
    expect(unchanged).toBe(b)
    expect(made).toEqual(['a', 'b', 'a'])
  })
})
