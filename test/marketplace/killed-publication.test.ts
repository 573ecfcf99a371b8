import { beforeAll, expect, test } from 'vitest'
import type { Context } from '../../src/app/context.ts'
import { deleteItems } from '../../src/books/delete-items.ts'
import { undeleteItem } from '../../src/books/undelete-item.ts'
import { AppError } from '../../src/core/errors.ts'
import { sweep } from '../../src/maintenance/sweep.ts'
import { publishListing } from '../../src/marketplace/publish-listing.ts'
import { refreshStaleListings } from '../../src/marketplace/refresh-stale-listings.ts'
import { subscribeMarketplace } from '../../src/marketplace/subscribe-marketplace.ts'
import { withdrawListing } from '../../src/marketplace/withdraw-listing.ts'
import { contextOf } from '../support/context.ts'
import { browse, librarySlots } from '../support/marketplace.ts'
import { seedBooks } from '../support/seed-books.ts'
import type { Person } from '../support/server.ts'
import { runWithStop, useStops, type Stop } from '../support/stopped-calls.ts'
import { useTestServer } from '../support/use-test-server.ts'

useStops()
const server = useTestServer({ LECTERN_ROLE: 'web' })
let owner: Context
let readingPerson: Person

beforeAll(async () => {
  owner = await contextOf(server, await server.createPerson({ plan: 'SELF_HOSTED' }))
  readingPerson = await server.createPerson({ plan: 'SELF_HOSTED' })
})

/** Two minutes later. */
const later = (ctx: Context): Context => ({ ...ctx, now: () => new Date(ctx.now().getTime() + 2 * 60_000) })

const makeBook = async () => (await seedBooks(server, { id: owner.actor.id }, { count: 1 }))[0] ?? ''

/** Publishes a book that is deleted before the nth command, and dies `after` commands later. Returns the commands. */
async function dieWhilePublishing(itemId: string, at: number, after: number): Promise<number> {
  const killed = new Error('killed')
  const stop: Stop = {
    at,
    commands: 0,
    async overtake() {
      if (stop.at > at) throw killed
      await deleteItems(owner, { ids: [itemId] })
      stop.at += after
    },
  }
  await runWithStop(stop, () => publishListing(owner, { itemId })).catch((error: unknown) => {
    if (error !== killed && !(error instanceof AppError)) throw error
  })
  return stop.commands
}

/** Such publications that leave a listing, in turn. */
async function* leaveListings() {
  for (let after = 1; after < 5; after++) {
    for (let at = 1; ; at++) {
      const itemId = await makeBook()
      if ((await dieWhilePublishing(itemId, at, after)) < at) {
        await deleteItems(owner, { ids: [itemId] })
        break
      }
      const listing = await owner.listings.findByBook(owner.actor.id, itemId)
      if (listing) yield { itemId, id: listing.id }
    }
  }
}

test('the sweep removes the listing of a book that was deleted before its publication was completed', async () => {
  const reader = await contextOf(server, readingPerson)
  let left = 0
  for await (const { itemId, id } of leaveListings()) {
    left += 1
    expect((await browse(server)).body).toMatchObject({ listings: [] })
    await subscribeMarketplace(reader, { listingId: id })
    await sweep(later(owner))
    expect(await owner.listings.findByBook(owner.actor.id, itemId)).toBeNull()
    expect(await librarySlots(server, readingPerson)).toEqual({ slots: 0, pending: [], own: 0, added: 0 })
  }
  expect(left).toBeGreaterThan(0)
})

test('the sweep keeps a listing that is published again while the sweep is stopped', async () => {
  for (let at = 1; ; at++) {
    const { value } = await leaveListings().next()
    if (!value) throw new Error('a publication leaves a listing')
    const { itemId, id } = value
    const overtake = async () => {
      await undeleteItem(owner, { itemId })
      // After its removal there is nothing to withdraw.
      if (await owner.listings.byId(id)) await withdrawListing(owner, { id })
      await publishListing(owner, { itemId })
    }
    const stop: Stop = { at, commands: 0, overtake }
    await runWithStop(stop, () => refreshStaleListings(later(owner)))
    if (stop.commands < at) break
    expect({ at, status: (await owner.listings.findByBook(owner.actor.id, itemId))?.status }).toEqual({
      at,
      status: 'LIVE',
    })
    await deleteItems(owner, { ids: [itemId] })
  }
})
