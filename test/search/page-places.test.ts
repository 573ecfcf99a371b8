import { expect, test } from 'vitest'
import { pageRefs } from '../../src/reading/store.ts'
import { placeOfPage } from '../../src/search/index/page-places.ts'
import { buildLayout, planUnits, toRuns } from '../../src/search/index/plan-units.ts'

test('the index refers to each page like the manifest', () => {
  const runs = [
    { revision: 'import-1', start: 0, count: 5 },
    { revision: 'edit', start: 0, count: 2 },
    { revision: 'import-1', start: 7, count: 3 },
    { revision: 'edit', start: 1, count: 1 },
  ]
  const manifest = { itemId: 'book', version: 3, pageCount: 11, runs } as unknown as Parameters<typeof planUnits>[0]
  const { missing } = planUnits(manifest, [])
  const keys = missing.map(({ key }) => key)
  const unit = (id: string, of: typeof keys) => ({ id, bits: 0, lengths: new Uint8Array(), pages: toRuns(of) })
  const units = [unit('a', keys.slice(0, 4)), unit('b', keys.slice(4))]
  const places = { id: 'book', units, layout: buildLayout(manifest, units) }
  const expected = [...pageRefs(manifest, 1, 11)]
  expect(expected.map(({ pageNum }) => placeOfPage(places, pageNum))).toEqual(expected)
  expect(placeOfPage(places, 12)).toBeNull()
})
