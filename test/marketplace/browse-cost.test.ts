import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { indexes } from '../../src/db/indexes.ts'
import { createListingStore, type ListingQuery } from '../../src/marketplace/listing-store.ts'
import { seedListings } from '../support/seed-listings.ts'
import { openEmbedded, type OpenStore } from '../support/stores.ts'
import { openRecordingStore, type SentCommand, type RecordingStore } from '../support/recording-store.ts'

const count = 2000
let store: OpenStore
let watched: RecordingStore

beforeAll(async () => {
  store = await openEmbedded()
  watched = await openRecordingStore(store.url, 'marketplace')
  for (const { collection, key, options } of indexes) {
    if (collection === 'listings') await watched.db.collection(collection).createIndex(key, options)
  }
  await seedListings(watched.db, 'owner', count)
})
afterAll(async () => {
  await watched.close()
  await store.close()
})

const wished = (wish: Partial<ListingQuery>): ListingQuery => ({
  facets: ['live'],
  prefixes: [],
  since: null,
  sort: 'newest',
  page: 1,
  limit: 20,
  ...wish,
})

async function browse(wish: Partial<ListingQuery>): Promise<{ commands: SentCommand[]; total: number }> {
  let total = 0
  const listings = createListingStore(watched.db)
  const commands = await watched.record(async () => {
    ;({ total } = await listings.browse(wished(wish)))
  })
  return { commands, total }
}

const lastDay = new Date(Date.UTC(2026, 0, 1) + (count - 1440) * 60_000)

describe('one page looks at no more listings than', () => {
  test.for([
    ['it shows: newest', {}, 20],
    ['it shows: popular', { sort: 'popular' }, 20],
    ['it shows: az', { sort: 'az' }, 20],
    ['it shows and skips', { sort: 'az', page: 5 }, 100],
    ['it shows: a category', { facets: ['category:science'], sort: 'popular' }, 20],
    ['it shows: a tag', { facets: ['tag:tag-7'], sort: 'az' }, 20],
    ['it shows: Pro books', { facets: ['pro'], sort: 'popular' }, 20],
    ['it shows: since a day', { since: lastDay }, 20],
    ['have the rarer of two filters', { facets: ['tag:tag-7', 'category:history'], sort: 'az' }, 80],
    ['have a rare word', { prefixes: ['sordanpel'] }, 60],
  ] as [string, Partial<ListingQuery>, number][])('%s', async ([, wish, most]) => {
    const { commands } = await browse(wish)
    const page = commands.filter(({ name, command }) => name === 'find' && command['find'] === 'listings')
    expect(page).toHaveLength(1)
    expect(await watched.countExamined(page)).toBeLessThanOrEqual(most)
  })
})

test('the total of a wish is counted once, until listings change', async () => {
  const listings = createListingStore(watched.db)
  const counted = async () => {
    const commands = await watched.record(() => listings.browse(wished({ facets: ['tag:tag-9'] })))
    return commands.filter(({ name }) => name === 'aggregate').length
  }
  expect([await counted(), await counted()]).toEqual([1, 0])
  const [first] = (await listings.browse(wished({ facets: ['tag:tag-9'] }))).listings
  await listings.removeByBook('owner', first?.itemId ?? '')
  expect([await counted(), await counted()]).toEqual([1, 0])
})

test('a change that another process made is seen at once', async () => {
  const [here, there] = [createListingStore(watched.db), createListingStore(watched.db)]
  const wish = wished({ facets: ['tag:tag-11'] })
  const { total, listings } = await here.browse(wish)
  await there.removeByBook('owner', listings[0]?.itemId ?? '')
  expect((await here.browse(wish)).total).toBe(total - 1)
})
