import { describe, expect, test } from 'vitest'
import { closeAccount } from '../../src/accounts/close-account.ts'
import { eraseClosedAccounts } from '../../src/maintenance/erase-account.ts'
import { createLog } from '../../src/app/log.ts'
import { subscribeMarketplace } from '../../src/marketplace/subscribe-marketplace.ts'
import { browse, librarySlots, publishBook, subscribe, subscriberCount } from '../support/marketplace.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { contextOf } from '../support/context.ts'
import { storedPages } from '../support/stored-pages.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

async function erase(person: Person): Promise<void> {
  const { services } = server.running.opened
  const account = await services.accounts.byId(person.id)
  if (!account) throw new Error('no account')
  await closeAccount(services, account)
  const now = () => new Date(Date.now() + 8 * 24 * 60 * 60 * 1000)
  await eraseClosedAccounts({ ...services, now, log: createLog('silent') })
  expect(await services.accounts.byId(person.id)).toBeNull()
}

describe('an account that is erased', () => {
  test('is no longer a subscriber, and the book stays consistent', async () => {
    const [publisher, reader] = [await server.createPerson(), await server.createPerson()]
    const listing = await publishBook(server, publisher, { title: 'Kept' })
    await subscribe(server, reader, listing.listingId)
    await erase(reader)
    expect(await subscriberCount(server, listing)).toBe(0)
    expect(await storedPages(server, publisher, { id: listing.itemId })).toHaveLength(10)
  })

  test('while adding a book leaves that book consistent', async () => {
    const [publisher, reader] = [await server.createPerson(), await server.createPerson()]
    const listing = await publishBook(server, publisher)
    const ctx = await contextOf(server, reader)
    const subscriptions = { ...ctx.subscriptions, add: () => Promise.reject(new Error('killed')) }
    await expect(subscribeMarketplace({ ...ctx, subscriptions }, listing)).rejects.toThrow('killed')
    expect(await librarySlots(server, reader)).toMatchObject({ slots: 1, pending: [{ change: 'subscribe' }] })
    await erase(reader)
    expect(await storedPages(server, publisher, { id: listing.itemId })).toHaveLength(10)
  })

  test('loses its listings, and its readers get their slots back', async () => {
    const [publisher, reader] = [await server.createPerson(), await server.createPerson()]
    const listing = await publishBook(server, publisher, { title: 'Gone for good' })
    await subscribe(server, reader, listing.listingId)
    await erase(publisher)
    expect((await browse(server, '?search=gone+for+good')).body.total).toBe(0)
    expect(await librarySlots(server, reader)).toEqual({ slots: 0, pending: [], own: 0, added: 0 })
  })
})
