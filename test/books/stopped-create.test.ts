import { expect, test } from 'vitest'
import type { Context } from '../../src/app/context.ts'
import { sweep } from '../../src/maintenance/sweep.ts'
import { deleteItems } from '../../src/books/delete-items.ts'
import { newId } from '../../src/core/ids.ts'
import { AppError } from '../../src/core/errors.ts'
import { startUpload } from '../../src/imports/start-upload.ts'
import { createManuscript } from '../../src/manuscripts/create-manuscript.ts'
import { createMarkdownItem } from '../../src/writing/create-markdown-item.ts'
import { contextOf } from '../support/context.ts'
import { countOwnedBooks } from '../support/count-books.ts'
import { seedBooks } from '../support/seed-books.ts'
import { runWithStop, useStops, type Stop } from '../support/stopped-calls.ts'
import { useTestServer } from '../support/use-test-server.ts'

const limit = { timeout: 300_000 }
useStops()
const server = useTestServer({ LECTERN_ROLE: 'web' })

const file = { filename: 'a.pdf', size: 1000, contentType: 'application/pdf' }
const creates: [string, (ctx: Context) => Promise<unknown>][] = [
  ['a Markdown book', (ctx) => createMarkdownItem(ctx, { title: 'T', content: 'text' })],
  ['an upload', (ctx) => startUpload(ctx, file)],
  ['a manuscript with a new book', (ctx) => createManuscript(ctx, { title: 'T' })],
]

/** What a sweep does that runs ten minutes after the stop. */
async function sweepLater({ now, ...services }: Context): Promise<void> {
  await sweep({ ...services, now: () => new Date(now().getTime() + 10 * 60_000) })
}

async function stateOf(ctx: Context) {
  const account = await ctx.accounts.byId(ctx.actor.id)
  const { db } = server.running.opened.database
  const manuscripts = await db.collection('manuscripts').countDocuments({ accountId: ctx.actor.id })
  const row = await db.collection<{ _id: string; held: object[] }>('manuscriptslots').findOne({ _id: ctx.actor.id })
  return {
    slots: account?.slots,
    pending: account?.pending,
    books: await countOwnedBooks(ctx.books, ctx.actor.id),
    manuscripts,
    manuscriptSlots: row?.held.length ?? 0,
  }
}

const codeOf = (error: unknown): string => {
  if (error instanceof AppError) return error.code
  throw error
}

/** Stops a create before each of its commands, each time for another person. */
async function stopCreate(
  create: (ctx: Context) => Promise<unknown>,
  { books, overtake, idempotencyKey = null }: { books: number; overtake: Overtake; idempotencyKey?: string | null },
) {
  const outcomes: Outcome[] = []
  for (let at = 1; ; at++) {
    const person = await server.createPerson({ plan: 'FREE' })
    if (books > 0) await seedBooks(server, person, { count: books })
    const id = newId()
    const context = await contextOf(server, person)
    // The sweep indexes the book.
    const bookEvents = { ...context.bookEvents, added: async () => {} }
    const ctx = { ...context, bookEvents, idempotencyKey, newId: () => id }
    const stop: Stop = { at, commands: 0, overtake: async () => void (await overtake(ctx)) }
    const result = await runWithStop(stop, () => create(ctx).then(() => 'created', codeOf))
    if (stop.commands < at) return outcomes
    await sweepLater(ctx)
    outcomes.push({ at, result, ...(await stateOf(ctx)) })
  }
}

type Overtake = (ctx: Context) => Promise<unknown>
type Outcome = Awaited<ReturnType<typeof stateOf>> & { at: number; result: string }

const created = (what: string) => {
  const manuscripts = what.startsWith('a manuscript') ? 1 : 0
  return { result: 'created', slots: 1, books: 1, pending: [], manuscripts, manuscriptSlots: manuscripts }
}
const nothing = { slots: 0, books: 0, pending: [], manuscripts: 0, manuscriptSlots: 0 }

test.for(creates)('%s that stops until its slot is released leaves nothing', limit, async ([what, create]) => {
  const outcomes = await stopCreate(create, { books: 0, overtake: (ctx) => sweepLater(ctx) })
  const refused = outcomes.filter(({ result }) => result !== 'created')
  expect(refused.length).toBeGreaterThan(1)
  for (const outcome of refused) expect(outcome).toMatchObject({ ...nothing, result: 'TRANSIENT_CONFLICT' })
  for (const outcome of outcomes) if (!refused.includes(outcome)) expect(outcome).toMatchObject(created(what))
})

test.for(creates)('%s that stops until the library is full does not exceed the limit', limit, async ([, create]) => {
  const outcomes = await stopCreate(create, {
    books: 19,
    async overtake({ newId: _, ...ctx }) {
      await sweepLater({ ...ctx, newId })
      await createMarkdownItem({ ...ctx, newId }, { title: 'Other' }).catch(codeOf)
    },
  })
  for (const outcome of outcomes) expect(outcome).toMatchObject({ slots: 20, books: 20, pending: [] })
})

test.for(creates)('%s that another attempt overtakes makes one book', limit, async ([what, create]) => {
  const outcomes = await stopCreate(create, {
    books: 0,
    idempotencyKey: 'k',
    overtake: (ctx) => create(ctx),
  })
  expect(outcomes.length).toBeGreaterThan(3)
  for (const outcome of outcomes) expect(outcome).toMatchObject(created(what))
})

test.for(creates)('%s that stops until its book is deleted takes no slot for nothing', limit, async ([, create]) => {
  const outcomes = await stopCreate(create, {
    books: 0,
    idempotencyKey: 'k',
    async overtake(ctx) {
      await create(ctx)
      await deleteItems(ctx, { ids: [ctx.newId()] })
    },
  })
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ slots: outcome.books, pending: [] })
    if (outcome.result !== 'created') expect(outcome.books).toBe(0)
  }
})

test.for(creates)('%s during the deletion of its book takes its own slot', limit, async ([, create]) => {
  for (let at = 1; ; at++) {
    const ctx0 = await contextOf(server, await server.createPerson({ plan: 'FREE' }))
    const id = newId()
    const ctx = { ...ctx0, idempotencyKey: 'k', newId: () => id }
    await create(ctx)
    const again = () => create(ctx).catch(codeOf)
    const stop: Stop = { at, commands: 0, overtake: async () => void (await again()) }
    await runWithStop(stop, () => deleteItems(ctx, { ids: [id] }))
    if (stop.commands < at) return
    await sweepLater(ctx)
    const { slots, pending, books } = await stateOf(ctx)
    expect({ at, slots, pending }).toEqual({ at, slots: books, pending: [] })
  }
})

test.for(creates)('a sweep that stops until %s has been created keeps it', limit, async ([, create]) => {
  const outcomes: string[] = []
  for (let at = 1; ; at++) {
    const id = newId()
    const context = await contextOf(server, await server.createPerson({ plan: 'FREE' }))
    const ctx = { ...context, idempotencyKey: 'k', newId: () => id }
    const slot = { id, itemId: id }
    await ctx.accounts.takeSlot(ctx.actor.id, slot, { limit: 20, at: ctx.now() })
    let result = 'not called'
    const overtake = async () => void (result = await create(ctx).then(() => 'created', codeOf))
    const stop: Stop = { at, commands: 0, overtake }
    await runWithStop(stop, () => sweepLater(context))
    if (stop.commands < at) break
    outcomes.push(result)
    const books = result === 'created' ? 1 : 0
    expect({ at, ...(await stateOf(ctx)) }).toMatchObject({ at, slots: books, books, pending: [] })
  }
  expect(new Set(outcomes)).toEqual(new Set(['created', 'TRANSIENT_CONFLICT']))
})
