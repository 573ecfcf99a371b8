import { changedContext } from '../support/changed-context.ts'
import { describe, expect, test } from 'vitest'
import { runChecks } from '../../src/admin/doctor/run-checks.ts'
import { deleteItems } from '../../src/books/delete-items.ts'
import { systemOwner } from '../../src/books/book.ts'
import type { Context } from '../../src/app/context.ts'
import { fulfilGaps } from '../../src/gaps/answer-gaps.ts'
import { reportBookGap } from '../../src/gaps/report-gap.ts'
import { reconcileGaps } from '../../src/gaps/reconcile-gaps.ts'
import { mcp } from '../support/transports.ts'
import { reportGap, fulfilledNotices, listGapGroups, publishedBook } from '../support/gaps.ts'
import { makeBook } from '../support/make-book.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'
import { contextOf } from '../support/context.ts'
import { smallBooks } from '../support/small-books.ts'
import { callOverRest, confirmUpload, sendFile } from '../support/uploads.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

interface GapRow {
  _id: string
  itemId: string
  unsettledAt?: Date
}

const gaps = () => server.running.opened.database.db.collection<GapRow>('gaps')
const report = { intent: 'How?', category: 'science', subcategory: 'Sleep' } as const

/** Runs the sweep later, when pending work counts as interrupted. */
const sweepLater = () => reconcileGaps(server.running.opened.services, new Date(Date.now() + 60_000))

async function findings(): Promise<string> {
  const { database, services } = server.running.opened
  const { checks } = await runChecks({ db: database.db, services, deep: false })
  return checks.find(({ name, ok }) => name === 'gaps' && !ok)?.detail ?? ''
}

/** Returns a context whose `gaps` store fails when `method` is called, as in a killed process. */
async function killedAt(person: Person, method: keyof Context['gaps']): Promise<Context> {
  const ctx = await contextOf(server, person)
  const killed = () => {
    throw new Error('killed')
  }
  return { ...ctx, gaps: { ...ctx.gaps, [method]: killed } }
}

describe('a fulfilment that a crash interrupts', () => {
  test('before its readers are notified is completed by the sweep, which notifies each once', async () => {
    const { author, readers, itemId } = await publishedBook(server, { readers: 3, title: 'Whales' })
    for (const reader of readers) await reportGap(server, reader, itemId)
    const ctx = await contextOf(server, author)
    const killed = {
      ...ctx,
      notifications: {
        ...ctx.notifications,
        async addAll(...[all]: Parameters<typeof ctx.notifications.addAll>) {
          await ctx.notifications.addAll(all.slice(0, 1))
          throw new Error('killed')
        },
      },
    }
    await expect(fulfilGaps(killed, { itemId, subcategory: 'Sleep' })).rejects.toThrow('killed')
    const repeated = await callOverRest(server, author, 'resolve_book_gap', { itemId, subcategory: 'Sleep' })
    expect(repeated.body).toEqual({ ok: true, fulfilledGaps: 0, notified: 0 })
    for (let i = 0; i < 2; i++) await sweepLater()
    for (const reader of readers) {
      expect(await fulfilledNotices(server, reader)).toMatchObject([{ title: '"Whales" has what you asked for' }])
    }
    expect(await gaps().countDocuments({ itemId, unsettledAt: { $exists: true } })).toBe(0)
  })

  test('after they are notified notifies nobody again', async () => {
    const { author, readers, itemId } = await publishedBook(server, { readers: 2 })
    for (const reader of readers) await reportGap(server, reader, itemId)
    const killed = await killedAt(author, 'markNotified')
    await expect(fulfilGaps(killed, { itemId, subcategory: 'Sleep' })).rejects.toThrow('killed')
    await sweepLater()
    for (const reader of readers) expect(await fulfilledNotices(server, reader)).toHaveLength(1)
  })
})

describe('a report', () => {
  test('that a crash interrupts is completed by the sweep', async () => {
    const author = await server.createPerson()
    const itemId = await makeBook(server, author)
    const killed = await killedAt(author, 'confirmReport')
    await expect(reportBookGap(killed, { ...report, itemId })).rejects.toThrow('killed')
    expect(await gaps().findOne({ itemId })).toHaveProperty('unsettledAt')
    await sweepLater()
    expect(await gaps().findOne({ itemId })).not.toHaveProperty('unsettledAt')
    expect(await listGapGroups(server, author, itemId)).toMatchObject([{ reporterCount: 1 }])
  })

  test('about a book that is deleted in the meantime is removed', async () => {
    const author = await server.createPerson()
    const itemId = await makeBook(server, author)
    const ctx = await contextOf(server, author)
    const overtaken = {
      ...ctx,
      gaps: {
        ...ctx.gaps,
        async add(...given: Parameters<typeof ctx.gaps.add>) {
          await callOverRest(server, author, 'delete_items', { ids: [itemId] })
          return ctx.gaps.add(...given)
        },
      },
    }
    expect(await reportBookGap(overtaken, { ...report, itemId })).toEqual({ ok: true })
    expect(await gaps().countDocuments({ itemId })).toBe(0)
  })

  test('that a crash interrupts, about a book that is then deleted, is removed by the sweep', async () => {
    const author = await server.createPerson()
    const itemId = await makeBook(server, author)
    await expect(reportBookGap(await killedAt(author, 'confirmReport'), { ...report, itemId })).rejects.toThrow(
      'killed',
    )
    // The request is added after the deletion has removed all others.
    const ctx = await contextOf(server, author)
    await deleteItems(changedContext(ctx, { gaps: { ...ctx.gaps, planRemoval: async () => async () => {} } }), {
      ids: [itemId],
    })
    expect(await gaps().countDocuments({ itemId })).toBe(1)
    await sweepLater()
    expect(await gaps().countDocuments({ itemId })).toBe(0)
  })
})

describe('a book', () => {
  test('that is deleted loses its requests, and other books keep theirs', async () => {
    const { author, readers, itemId } = await publishedBook(server, { readers: 2 })
    const second = await makeBook(server, author)
    for (const reader of readers) await reportGap(server, reader, itemId)
    await reportGap(server, author, second)
    await callOverRest(server, author, 'delete_items', { ids: [itemId] })
    expect(await gaps().countDocuments({ itemId })).toBe(0)
    expect(await listGapGroups(server, author, second)).toMatchObject([{ reporterCount: 1 }])
  })

  test('that replaces another one takes over its requests', async () => {
    const author = await server.createPerson()
    const old = await makeBook(server, author, { title: 'First edition' })
    for (const subcategory of ['One', 'Two']) await reportGap(server, author, old, { subcategory })
    await callOverRest(server, author, 'resolve_book_gap', { itemId: old, subcategory: 'Two' })
    const upload = await sendFile(server, author, { filename: 'second.epub', bytes: await smallBooks.epub() })
    expect((await confirmUpload(server, author, { ...upload, replacesItemId: old })).body.replacedItemId).toBe(old)
    expect(await gaps().countDocuments({ itemId: old })).toBe(0)
    await sweepLater()
    expect(await listGapGroups(server, author, upload.itemId)).toMatchObject([{ subcategory: 'One', reporterCount: 1 }])
    const { body } = await callOverRest(server, author, 'resolve_book_gap', {
      itemId: upload.itemId,
      subcategory: 'One',
    })
    expect(body).toEqual({ ok: true, fulfilledGaps: 1, notified: 1 })
    expect(await fulfilledNotices(server, author)).toMatchObject([
      { title: '"First edition" has what you asked for', metadata: { itemId: upload.itemId } },
      {},
    ])
  })
})

test('requests and suggestions of a closed account can be removed', async () => {
  const { readers, author, itemId } = await publishedBook(server, { readers: 2 })
  const [one] = readers as [Person]
  for (const reader of readers) await reportGap(server, reader, itemId)
  await mcp.call(server, one, 'suggest_book', { title: 'Moby Dick', reason: 'Whales' })
  const { services } = server.running.opened
  await services.gaps.removeAccount(one.id)
  await services.suggestions.removeAccount(one.id)
  expect(await listGapGroups(server, author, itemId)).toMatchObject([{ reporterCount: 1 }])
  expect(await services.suggestions.list(one.id, { start: new Date(0), end: new Date(9e12), limit: 9 })).toEqual([])
})

test.for([
  ['a request about a book that does not exist', { itemId: 'gone' }, /book gone does not belong to account/],
  ['a request to another author', { ownerId: systemOwner }, /does not belong to account system/],
  ['a fulfilled request without a fulfilment', { status: 'FULFILLED' }, /FULFILLED, fulfilled by null/],
  ['a request that stays pending', { unsettledAt: new Date(0) }, /not reconciled since 1970/],
] as const)('the doctor finds %s', async ([, damage, says]) => {
  const author = await server.createPerson()
  const itemId = await makeBook(server, author)
  await reportGap(server, author, itemId)
  expect(await findings()).toBe('')
  const row = await gaps().findOneAndUpdate({ itemId }, { $set: damage as object })
  expect(await findings()).toMatch(says)
  await gaps().deleteOne({ _id: row?._id as string })
  expect(await findings()).toBe('')
})
