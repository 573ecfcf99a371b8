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

const buildQuery = (overrides: Partial<ListingQuery>): ListingQuery => ({
  facets: ['live'],
  prefixes: [],
  since: null,
  sort: 'newest',
  page: 1,
  limit: 20,
  ...overrides,
})

async function browse(overrides: Partial<ListingQuery>): Promise<{ commands: SentCommand[]; total: number }> {
  let total = 0
  const listings = createListingStore(watched.db)
  const commands = await watched.record(async () => {
    ;({ total } = await listings.browse(buildQuery(overrides)))
  })
  return { commands, total }
}

const lastDay = new Date(Date.UTC(2026, 0, 1) + (count - 1440) * 60_000)

describe('browsing one page examines at most', () => {
  test.for([
    ['as many listings as it shows: sorted by newest', {}, 20],
    ['as many listings as it shows: sorted by popular', { sort: 'popular' }, 20],
    ['as many listings as it shows: sorted by az', { sort: 'az' }, 20],
    ['as many listings as it skips and shows', { sort: 'az', page: 5 }, 100],
    ['as many listings as it shows: in a category', { facets: ['category:science'], sort: 'popular' }, 20],
    ['as many listings as it shows: with a tag', { facets: ['tag:tag-7'], sort: 'az' }, 20],
    ['as many listings as it shows: Pro books', { facets: ['pro'], sort: 'popular' }, 20],
    ['as many listings as it shows: published since a day', { since: lastDay }, 20],
    [
      'the listings that match the rarer of two filters',
      { facets: ['tag:tag-7', 'category:business'], sort: 'az' },
      80,
    ],
    ['the listings with a rare word', { prefixes: ['sordanpel'] }, 60],
  ] as [string, Partial<ListingQuery>, number][])('%s', async ([, overrides, max]) => {
    const { commands } = await browse(overrides)
    const page = commands.filter(({ name, command }) => name === 'find' && command['find'] === 'listings')
    expect(page).toHaveLength(1)
    expect(await watched.countExamined(page)).toBeLessThanOrEqual(max)
  })
})

test('the total of a query is counted once, until listings change', async () => {
  const listings = createListingStore(watched.db)
  const counted = async () => {
    const commands = await watched.record(() => listings.browse(buildQuery({ facets: ['tag:tag-9'] })))
    return commands.filter(({ name }) => name === 'aggregate').length
  }
  expect([await counted(), await counted()]).toEqual([1, 0])
  const [first] = (await listings.browse(buildQuery({ facets: ['tag:tag-9'] }))).listings
  await listings.remove('owner', first?.id ?? '')
  expect([await counted(), await counted()]).toEqual([1, 0])
})

test('a change by another process is visible at once', async () => {
  const [here, there] = [createListingStore(watched.db), createListingStore(watched.db)]
  const query = buildQuery({ facets: ['tag:tag-11'] })
  const { total, listings } = await here.browse(query)
  await there.remove('owner', listings[0]?.id ?? '')
  expect((await here.browse(query)).total).toBe(total - 1)
})
