import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureIndexes } from '../../../src/db/indexes.ts'
import { createDraftStore, type Draft, type DraftStore } from '../../../src/writing/draft-store.ts'
import { stores, type OpenStore } from '../../support/stores.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute))

function draft(changes: Partial<Draft> = {}): Draft {
  return {
    accountId: 'ann',
    itemId: 'book',
    place: '1',
    content: 'text',
    version: 3,
    revision: 'r1',
    at: at(0),
    ...changes,
  }
}

describe.for(stores)('drafts on the %s store', ([, open]) => {
  let store: OpenStore
  let drafts: DraftStore
  beforeAll(async () => {
    store = await open()
    await ensureIndexes(store.db)
    drafts = createDraftStore(store.db)
  })
  afterAll(() => store.close())

  test('a draft is added once, and replaced only by a caller that knows its revision', async () => {
    const key = { accountId: 'ann', itemId: 'book', place: '1' }
    expect(await drafts.save(draft(), null)).toBe('added')
    expect(await drafts.save(draft({ content: 'another window', revision: 'r2' }), null)).toBeNull()
    expect(await drafts.save(draft({ content: 'stale', revision: 'r2' }), 'r0')).toBeNull()
    expect(await drafts.find(key)).toEqual(draft())
    expect(await drafts.save(draft({ content: 'more', version: 4, revision: 'r2', at: at(1) }), 'r1')).toBe('replaced')
    expect(await drafts.find(key)).toEqual(draft({ content: 'more', version: 4, revision: 'r2', at: at(1) }))
    await drafts.remove(key, 'r1')
    expect(await drafts.find(key)).not.toBeNull()
    await drafts.remove(key, 'r2')
    expect(await drafts.find(key)).toBeNull()
  })

  test('of two concurrent adds, one succeeds', async () => {
    const both = ['x', 'y'].map((revision) => drafts.save(draft({ place: '2', revision }), null))
    expect((await Promise.all(both)).toSorted()).toEqual(['added', null])
  })

  test('an account lists its own drafts, most recent first, without their text', async () => {
    for (const [minute, place] of ['5', '6', '7'].entries()) {
      await drafts.save(draft({ accountId: 'bob', place, at: at(minute), revision: place }), null)
    }
    await drafts.save(draft({ accountId: 'bobby', place: '9' }), null)
    expect(await drafts.count('bob')).toBe(3)
    const listed = await drafts.list('bob', 2)
    expect(listed).toEqual([
      { accountId: 'bob', itemId: 'book', place: '7', version: 3, revision: '7', at: at(2) },
      { accountId: 'bob', itemId: 'book', place: '6', version: 3, revision: '6', at: at(1) },
    ])
  })

  test('drafts are removed with their book, with their account, and after their retention', async () => {
    const people = ['cal', 'dot', 'eve']
    for (const accountId of people)
      await drafts.save(draft({ accountId, itemId: `book of ${accountId}`, at: at(30) }), null)
    await drafts.save(draft({ accountId: 'eve', itemId: 'old', at: at(10) }), null)
    await drafts.removeBook('book of cal')
    await drafts.removeAccount('dot')
    await drafts.removeOlderThan(at(30))
    expect(await Promise.all(people.map((accountId) => drafts.count(accountId)))).toEqual([0, 0, 1])
    expect((await drafts.list('eve', 5)).map(({ itemId }) => itemId)).toEqual(['book of eve'])
  })
})
