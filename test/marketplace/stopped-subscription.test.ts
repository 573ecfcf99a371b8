import { beforeAll, expect, test } from 'vitest'
import type { Context } from '../../src/app/context.ts'
import { AppError } from '../../src/core/errors.ts'
import { sweep } from '../../src/maintenance/sweep.ts'
import { subscribeMarketplace } from '../../src/marketplace/subscribe-marketplace.ts'
import { contextOf } from '../support/context.ts'
import { librarySlots, publishBook, subscriberCount, type PublishedBook } from '../support/marketplace.ts'
import { seedBooks } from '../support/seed-books.ts'
import { runWithStop, useStops, type Stop } from '../support/stopped-calls.ts'
import { useTestServer } from '../support/use-test-server.ts'

useStops()
const server = useTestServer({ LECTERN_ROLE: 'web' })
let book: PublishedBook

beforeAll(async () => {
  book = await publishBook(server, await server.createPerson({ plan: 'SELF_HOSTED' }))
})

/** What a sweep does that runs ten minutes later. */
const sweepLater = ({ now, ...services }: Context) =>
  sweep({ ...services, now: () => new Date(now().getTime() + 10 * 60_000) })

const subscribe = (ctx: Context) =>
  subscribeMarketplace(ctx, { listingId: book.listingId }).then(
    () => 'subscribed',
    (error: unknown) => {
      if (error instanceof AppError) return error.code
      throw error
    },
  )

/** Stops a subscription before each of its commands, each time for another reader. */
async function stopBeforeEachCommand(own: number, overtake: (ctx: Context) => Promise<unknown>) {
  const outcomes: { result: string; slots: number; books: number }[] = []
  for (let at = 1; ; at++) {
    const subscribers = await subscriberCount(server, book)
    const person = await server.createPerson({ plan: 'FREE' })
    if (own > 0) await seedBooks(server, person, { count: own })
    const ctx = await contextOf(server, person)
    const stop: Stop = { at, commands: 0, overtake: async () => void (await overtake(ctx)) }
    const result = await runWithStop(stop, () => subscribe(ctx))
    if (stop.commands < at) return outcomes
    await sweepLater(ctx)
    const { slots = 0, pending, own: ownBooks, added } = await librarySlots(server, person)
    expect({ at, slots, pending }).toEqual({ at, slots: ownBooks + added, pending: [] })
    expect(await subscriberCount(server, book)).toBe((subscribers ?? 0) + added)
    if (result === 'subscribed') expect(added).toBe(1)
    outcomes.push({ result, slots, books: ownBooks + added })
  }
}

test('a subscription that stops until its slot is released is refused, or has a slot', async () => {
  const outcomes = await stopBeforeEachCommand(0, sweepLater)
  expect(new Set(outcomes.map(({ result }) => result))).toEqual(new Set(['subscribed', 'TRANSIENT_CONFLICT']))
})

test('a subscription that stops until the library is full does not exceed the limit', async () => {
  const fill = async (ctx: Context) => {
    await sweepLater(ctx)
    const free = 20 - ((await ctx.accounts.byId(ctx.actor.id))?.slots ?? 0)
    if (free > 0) await seedBooks(server, { id: ctx.actor.id }, { count: free })
  }
  for (const { slots } of await stopBeforeEachCommand(19, fill)) expect(slots).toBe(20)
})

test('a subscription that another one overtakes takes one slot', async () => {
  const outcomes = await stopBeforeEachCommand(0, (ctx) => subscribe(ctx))
  expect(new Set(outcomes.map(({ result }) => result))).toEqual(new Set(['subscribed']))
})
