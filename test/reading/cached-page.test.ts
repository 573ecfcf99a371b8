import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { mcpBudget } from '../../src/mcp/budget.ts'
import { CachedPage, cachedPageOf } from '../../src/reading/cached-page.ts'
import { createContentStore } from '../../src/reading/store.ts'
import { attachEncodedContent } from '../../src/runtime/json-encoder.ts'
import { restBudget } from '../../src/transport/rate-headers.ts'
import { stores, type OpenStore } from '../support/stores.ts'

function pageOf(content: string) {
  const onGrow = vi.fn<(page: CachedPage) => void>()
  return { page: new CachedPage({ id: 'p', content, label: null }, onGrow), onGrow }
}

const markers = 'as </book> ends “it”\n'

test('a page derives from its text what answers need', () => {
  const { page } = pageOf(markers)
  expect(page.words).toBe(4)
  expect(Buffer.from(page.json).toString()).toBe(JSON.stringify(markers).slice(1, -1))
  expect(page.quoted.content).toBe('as <\u200b/book> ends “it”\n')
  expect(JSON.parse(`"${Buffer.from(page.quoted.json).toString()}"`)).toBe(page.quoted.content)
  for (const budget of [restBudget, mcpBudget, restBudget]) expect(page.cost(budget)).toBe(budget.cost(markers))
})

test('each derived part is computed once', () => {
  const { page } = pageOf(markers)
  expect(page.json).toBe(page.json)
  expect(page.quoted).toBe(page.quoted)
  const cost = vi.fn<(text: string) => number>((text) => text.length)
  const budget = { ...mcpBudget, cost }
  expect(page.cost(budget)).toBe(page.cost(budget))
  expect(cost).toHaveBeenCalledTimes(1)
})

test('a page is presented again in another context', () => {
  const { page } = pageOf('text')
  const chapter: string[] = []
  const place = { version: 1, pageNum: 1, chapter, budget: mcpBudget }
  const shown = { pageNum: 1, content: 'text', id: 'p', label: null, chapter, url: '' }
  const present = vi.fn<() => { page: typeof shown; overhead: number; cost: number }>(() => ({
    page: { ...shown },
    overhead: 1,
    cost: 2,
  }))
  const first = page.presentAt(place, present)
  expect(page.presentAt({ ...place }, present)).toBe(first)
  const changes = [{ version: 2 }, { pageNum: 2 }, { chapter: ['New'] }, { budget: restBudget }]
  for (const change of changes) expect(page.presentAt({ ...place, ...change }, present)).not.toBe(first)
  expect(present).toHaveBeenCalledTimes(5)
})

test('a page without markers is its own quoted form', () => {
  const { page, onGrow } = pageOf('plain')
  expect(page.quoted).toBe(page)
  expect(onGrow).not.toHaveBeenCalled()
})

test('the weight of a page includes its derived parts, and growth is reported', () => {
  const { page, onGrow } = pageOf('</page>'.repeat(100))
  const bare = page.weight
  expect(bare).toBeGreaterThan(1400)
  expect([page.json.length, page.weight]).toEqual([700, bare + 700])
  expect(onGrow).toHaveBeenCalledTimes(1)
  const { content, json } = page.quoted
  expect(page.weight).toBe(bare + 700 + 2 * content.length + json.length)
  expect(onGrow).toHaveBeenCalledTimes(2)
  expect(onGrow).toHaveBeenLastCalledWith(page)
})

test('a whole page of an answer refers to the cached one, a copy does not', () => {
  const { page } = pageOf('text')
  const shown = attachEncodedContent({ content: 'text' }, page)
  expect(cachedPageOf(shown)).toBe(page)
  expect(cachedPageOf({ ...shown })).toBeUndefined()
  expect(cachedPageOf(attachEncodedContent({ content: 'text' }, { content: 'text', json: page.json }))).toBeUndefined()
})

describe.for(stores)('the page cache, on %s', ([, open]) => {
  let store: OpenStore
  beforeAll(async () => {
    store = await open()
  })
  afterAll(() => store.close())

  test('keeps pages with their derived parts within its limit', async () => {
    const contents = createContentStore(store.db, undefined, 20_000)
    const pages = ['a', 'b'].map((letter) => ({ content: letter.repeat(4000), label: null }))
    await contents.writePages('book', 'revision', { first: 0, pages })
    const read = async (pageNum: number) => {
      const [page] = await contents.getPages([{ pageNum, id: `book:revision:00000${pageNum - 1}` }])
      return page as CachedPage
    }
    const [first, second] = [await read(1), await read(2)]
    expect(await read(1)).toBe(first)
    expect(await read(2)).toBe(second)
    expect(first.json).toHaveLength(4000)
    expect(await read(1)).toBe(first)
    expect(await read(2)).not.toBe(second)
  })
})
