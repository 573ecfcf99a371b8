import { isDeepStrictEqual } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import type { Context } from '../../src/app/context.ts'
import { deleteItems } from '../../src/books/delete-items.ts'
import { undeleteItem } from '../../src/books/undelete-item.ts'
import { AppError } from '../../src/core/errors.ts'
import { newId } from '../../src/core/ids.ts'
import { reportBookGap } from '../../src/gaps/report-gap.ts'
import { queueJob } from '../../src/imports/queue-job.ts'
import { createManuscript } from '../../src/manuscripts/create-manuscript.ts'
import { publishListing } from '../../src/marketplace/publish-listing.ts'
import { subscribeMarketplace } from '../../src/marketplace/subscribe-marketplace.ts'
import { createShelf } from '../../src/shelves/create-shelf.ts'
import { addToShelf } from '../../src/shelves/shelve-books.ts'
import { createTeam } from '../../src/teams/create-team.ts'
import { shareItem } from '../../src/teams/share-item.ts'
import { contextOf } from '../support/context.ts'
import { seedBooks } from '../support/seed-books.ts'
import type { Person } from '../support/server.ts'
import { runWithStop, useStops, type Stop } from '../support/stopped-calls.ts'
import { useTestServer } from '../support/use-test-server.ts'

// One stop takes a fifth of a second.
const limit = { timeout: 300_000 }

useStops()
const server = useTestServer({ LECTERN_ROLE: 'web' })

let owner: Context
let reader: Context
let teamId = ''
let shelf = ''
let readersShelf = ''

beforeAll(async () => {
  const people: Person[] = [
    await server.createPerson({ plan: 'SELF_HOSTED' }),
    await server.createPerson({ plan: 'SELF_HOSTED' }),
  ]
  const [first, second] = await Promise.all(people.map((person) => contextOf(server, person)))
  if (!first || !second) throw new Error('there are two people')
  ;[owner, reader] = [first, second]
  teamId = (await createTeam(owner, { name: 'Team' })).team.id
  shelf = (await createShelf(owner, { name: 'Birds' })).id
  readersShelf = (await createShelf(reader, { name: 'Birds' })).id
})

const gap = { subcategory: 'Nests', category: 'science', intent: 'To find nests' } as const

/** Puts a book on shelves, the marketplace and into a team, with a manuscript, a request and a waiting job. */
async function reachBook(itemId: string): Promise<void> {
  await addToShelf(owner, { shelf, itemIds: [itemId] })
  await shareItem(owner, { teamId, itemId, accessLevel: 'READ' })
  const { listing } = await publishListing(owner, { itemId })
  await subscribeMarketplace(reader, { listingId: listing.id })
  await addToShelf(reader, { shelf: readersShelf, itemIds: [itemId] })
  await createManuscript(owner, { title: 'M', itemId })
  await reportBookGap(reader, { ...gap, itemId })
  const [book] = await owner.books.findOwned(owner.actor.id, [itemId])
  if (!book) throw new Error('the book is in the library')
  await queueJob(owner, book, { id: newId(), type: 'reprocess' })
  const createdAt = owner.now()
  const upload = { storageKey: `incoming/${newId()}`, filename: 'a.md', contentType: 'text/markdown', bytes: 1 }
  const expiresAt = new Date(createdAt.getTime() + 60_000)
  const accountId = owner.actor.id
  await owner.uploads.put({ itemId, accountId, ...upload, expiresAt, receivedAt: null, createdAt })
}

/** What others and other parts of the library have of a book. */
async function traces(itemId: string) {
  const { db } = server.running.opened.database
  const count = (name: string, filter: object) => db.collection(name).countDocuments(filter)
  return {
    placements: await count('placements', { itemId }),
    shares: await count('shares', { itemId }),
    listings: await count('listings', { itemId }),
    subscriptions: await count('subscriptions', { itemId }),
    manuscripts: await count('manuscripts', { liveItemId: itemId }),
    gaps: await count('gaps', { itemId }),
    jobs: await count('jobs', { itemId }),
    uploads: await server.running.opened.services.uploads.byItem(owner.actor.id, itemId).then((row) => (row ? 1 : 0)),
  }
}

const none = { placements: 0, shares: 0, listings: 0, subscriptions: 0, manuscripts: 0, gaps: 0, jobs: 0, uploads: 0 }
const reached = {
  ...none,
  placements: 2,
  shares: 1,
  listings: 1,
  subscriptions: 1,
  manuscripts: 1,
  gaps: 1,
  jobs: 1,
  uploads: 1,
}

/** What a call does to a book while another one is stopped, and what the book then has in the library. */
interface Race {
  prepare(itemId: string): Promise<unknown>
  act(itemId: string): Promise<unknown>
  overtake(itemId: string): Promise<void>
  back: typeof none
}

/** Stops the call before each of its commands, each time with another book. */
async function stopBeforeEachCommand({ prepare, act, overtake, back }: Race) {
  const wrong: object[] = []
  for (let at = 1; ; at++) {
    const [itemId = ''] = await seedBooks(server, { id: owner.actor.id }, { count: 1 })
    await prepare(itemId)
    const stop: Stop = { at, commands: 0, overtake: () => overtake(itemId) }
    await runWithStop(stop, () => act(itemId))
    const isBack = (await owner.books.findOwned(owner.actor.id, [itemId])).length > 0
    const found = await traces(itemId)
    const account = await owner.accounts.byId(owner.actor.id)
    const slots = { used: account?.slots, pending: account?.pending }
    const hasStopped = stop.commands >= at
    if (hasStopped && !isDeepStrictEqual(found, isBack ? back : none)) wrong.push({ at, isBack, found })
    if (!isDeepStrictEqual(slots, { used: isBack ? 1 : 0, pending: [] })) wrong.push({ at, isBack, slots })
    await deleteItems(owner, { ids: [itemId] })
    if (!hasStopped) return { stops: at - 1, wrong }
  }
}

test(
  'a deletion that pauses at any step until its book is restored keeps what the book has since gained',
  limit,
  async () => {
    const { stops, wrong } = await stopBeforeEachCommand({
      prepare: reachBook,
      act: (itemId) => deleteItems(owner, { ids: [itemId] }),
      async overtake(itemId) {
        await deleteItems(owner, { ids: [itemId] })
        await undeleteItem(owner, { itemId })
        await reachBook(itemId)
      },
      back: reached,
    })
    expect(wrong).toEqual([])
    expect(stops).toBeGreaterThan(30)
  },
)

test('a return that pauses at any step until its book is deleted again leaves nothing of the book', limit, async () => {
  const { stops, wrong } = await stopBeforeEachCommand({
    async prepare(itemId) {
      await reachBook(itemId)
      await deleteItems(owner, { ids: [itemId] })
    },
    act: (itemId) => undeleteItem(owner, { itemId }).catch(ignoreNotFound),
    async overtake(itemId) {
      await undeleteItem(owner, { itemId })
      await reachBook(itemId)
      await deleteItems(owner, { ids: [itemId] })
    },
    back: { ...none, placements: 1 },
  })
  expect(wrong).toEqual([])
  expect(stops).toBeGreaterThan(20)
})

test.for<[string, (itemId: string) => Promise<unknown>]>([
  ['putting a book on a shelf', (itemId) => addToShelf(owner, { shelf, itemIds: [itemId] })],
  ['sharing a book', (itemId) => shareItem(owner, { teamId, itemId, accessLevel: 'READ' })],
  ['publishing a book', (itemId) => publishListing(owner, { itemId })],
  ['creating a manuscript', (itemId) => createManuscript(owner, { title: 'M', itemId })],
  ['reporting a gap', (itemId) => reportBookGap(owner, { ...gap, itemId })],
])('%s leaves nothing if it stops at any step until the book is deleted', limit, async ([, act]) => {
  const { stops, wrong } = await stopBeforeEachCommand({
    prepare: async () => {},
    act: (itemId) => act(itemId).catch(ignoreRefusal),
    overtake: async (itemId) => void (await deleteItems(owner, { ids: [itemId] })),
    back: none,
  })
  expect(wrong).toEqual([])
  expect(stops).toBeGreaterThan(2)
})

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof AppError)) throw error
}

function ignoreNotFound(error: unknown): void {
  if (!(error instanceof AppError && error.code === 'NOT_FOUND')) throw error
}
