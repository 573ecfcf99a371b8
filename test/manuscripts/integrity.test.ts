import { describe, expect, test } from 'vitest'
import { runChecks } from '../../src/admin/doctor/run-checks.ts'
import { deleteItems } from '../../src/books/delete-items.ts'
import type { Context } from '../../src/app/context.ts'
import { sweep } from '../../src/maintenance/sweep.ts'
import { createLog } from '../../src/app/log.ts'
import { createManuscript } from '../../src/manuscripts/create-manuscript.ts'
import { updateManuscript } from '../../src/manuscripts/update-manuscript.ts'
import { makeBook } from '../support/make-book.ts'
import { contextOf } from '../support/context.ts'
import type { Person } from '../support/server.ts'
import { useTestServer } from '../support/use-test-server.ts'

const server = useTestServer({ LECTERN_ROLE: 'web' })

const rows = (name: string) => server.running.opened.database.db.collection<{ _id: string }>(name)
const crash = new Error('crash')
const crashes = () => Promise.reject(crash)

async function scene() {
  const person = await server.createPerson()
  const ctx = await contextOf(server, person)
  return { person, ctx, itemId: await makeBook(server, person) }
}

async function heldBy({ id }: Person): Promise<unknown[]> {
  const row = await rows('manuscriptslots').findOne({ _id: id })
  return (row as { held?: unknown[] } | null)?.held ?? []
}

async function finding(check: string): Promise<string | undefined> {
  const { services, database } = server.running.opened
  const { checks } = await runChecks({ db: database.db, services, deep: false })
  return checks.find(({ name, ok }) => name === check && !ok)?.detail
}

function sweepLater(): Promise<void> {
  const later = new Date(Date.now() + 10 * 60_000)
  return sweep({ ...server.running.opened.services, now: () => later, log: createLog('silent') })
}

/** Returns a context in which one method of the manuscript store does something else before or instead. */
function withManuscripts(ctx: Context, changed: Partial<Context['manuscripts']>): Context {
  return { ...ctx, manuscripts: { ...ctx.manuscripts, ...changed } }
}

test('a create that pauses until a repeat with its key has created and paused the manuscript holds no slot', async () => {
  const { person, ctx: called, itemId } = await scene()
  const id = called.newId()
  const ctx = { ...called, idempotencyKey: 'once', newId: () => id }
  const paused = {
    ...ctx,
    manuscriptSlots: {
      ...ctx.manuscriptSlots,
      async take(...slot: Parameters<Context['manuscriptSlots']['take']>) {
        const { manuscript } = await createManuscript(ctx, { title: 'T', itemId })
        await updateManuscript(ctx, { manuscriptId: manuscript.id, status: 'PAUSED' })
        return ctx.manuscriptSlots.take(...slot)
      },
    },
  }
  await createManuscript(paused, { title: 'T', itemId })
  expect(await heldBy(person)).toEqual([])
})

describe('after a crash', () => {
  test('the sweep releases a slot without a manuscript', async () => {
    const { person, ctx, itemId } = await scene()
    await expect(createManuscript(withManuscripts(ctx, { add: crashes }), { title: 'T', itemId })).rejects.toThrow(
      crash,
    )
    expect(await heldBy(person)).toHaveLength(1)
    expect(await finding('manuscripts')).toBeUndefined()
    await sweepLater()
    expect(await heldBy(person)).toEqual([])
  })

  test('the sweep releases a slot that its manuscript has given up', async () => {
    const { person, ctx, itemId } = await scene()
    const { manuscript } = await createManuscript(ctx, { title: 'T', itemId })
    const crashing = { ...ctx, manuscriptSlots: { ...ctx.manuscriptSlots, release: crashes } }
    const pause = { manuscriptId: manuscript.id, status: 'PAUSED' } as const
    await expect(updateManuscript(crashing, pause)).rejects.toThrow(crash)
    expect(await heldBy(person)).toHaveLength(1)
    await sweepLater()
    expect(await heldBy(person)).toEqual([])
  })

  test('the sweep keeps a slot that its manuscript was about to give up', async () => {
    const { person, ctx, itemId } = await scene()
    const { manuscript } = await createManuscript(ctx, { title: 'T', itemId })
    const pause = { manuscriptId: manuscript.id, status: 'PAUSED' } as const
    await expect(updateManuscript(withManuscripts(ctx, { change: crashes }), pause)).rejects.toThrow(crash)
    await sweepLater()
    expect(await heldBy(person)).toMatchObject([{ manuscriptId: manuscript.id, since: null }])
  })
})

describe('a book that is deleted meanwhile', () => {
  test('leaves no manuscript that was being created for it', async () => {
    const { person, ctx, itemId } = await scene()
    const overtaken = withManuscripts(ctx, {
      async add(manuscript) {
        await deleteItems(ctx, { ids: [itemId] })
        return ctx.manuscripts.add(manuscript)
      },
    })
    await expect(createManuscript(overtaken, { title: 'T', itemId })).rejects.toMatchObject({ code: 'ITEM_NOT_FOUND' })
    expect(await ctx.manuscripts.list(person.id)).toEqual([])
    expect(await heldBy(person)).toEqual([])
  })

  test('archives the manuscript that was being moved to it', async () => {
    const { person, ctx, itemId } = await scene()
    const { manuscript } = await createManuscript(ctx, { title: 'T' })
    const overtaken = withManuscripts(ctx, {
      async change(...change) {
        if (change[1].status === 'ACTIVE') await deleteItems(ctx, { ids: [itemId] })
        return ctx.manuscripts.change(...change)
      },
    })
    const move = updateManuscript(overtaken, { manuscriptId: manuscript.id, itemId })
    await expect(move).rejects.toMatchObject({ code: 'ITEM_NOT_FOUND' })
    expect(await ctx.manuscripts.list(person.id)).toMatchObject([{ status: 'ARCHIVED', slot: null }])
    expect(await heldBy(person)).toEqual([])
  })
})

const set = (id: string, change: object) => rows('manuscripts').updateOne({ _id: id }, { $set: change })

describe('lectern doctor', () => {
  type Damage = (row: { id: string; accountId: string; itemId: string }) => Promise<unknown>
  const damages: [what: string, says: RegExp, damage: Damage][] = [
    ['a paused manuscript with a slot', /PAUSED, slot \w+/, ({ id }) => set(id, { status: 'PAUSED' })],
    ['an active manuscript without a slot', /ACTIVE, slot null/, ({ id }) => set(id, { slot: null })],
    ['a slot without a manuscript', /is held by no manuscript/, ({ id }) => rows('manuscripts').deleteOne({ _id: id })],
    [
      'a slot that is not held',
      /its slot is not held/,
      ({ accountId }) => rows('manuscriptslots').deleteOne({ _id: accountId }),
    ],
    ['a deleted book', /its author does not own its book gone/, ({ id }) => set(id, { itemId: 'gone' })],
    [
      'two manuscripts of one book',
      /have the same book/,
      async ({ id, accountId, itemId }) => {
        const row = await rows('manuscripts').findOne({ _id: id })
        const { liveItemId: _, ...twin } = { ...row, liveItemId: undefined } as Record<string, unknown>
        const held = { id: 'twin', manuscriptId: 'twin', since: null }
        await rows('manuscripts').insertOne({ ...twin, _id: `${id}x`, slot: 'twin', itemId } as { _id: string })
        await rows('manuscriptslots').updateOne({ _id: accountId }, { $push: { held } })
      },
    ],
  ]
  test.for(damages)('finds %s', async ([, says, damage]) => {
    const { person, ctx, itemId } = await scene()
    const { manuscript } = await createManuscript(ctx, { title: 'T', itemId })
    expect(await finding('manuscripts')).toBeUndefined()
    await damage({ id: manuscript.id, accountId: person.id, itemId })
    expect(await finding('manuscripts')).toMatch(says)
    await rows('manuscripts').deleteMany({ accountId: person.id })
    await rows('manuscriptslots').deleteOne({ _id: person.id })
  })
})
