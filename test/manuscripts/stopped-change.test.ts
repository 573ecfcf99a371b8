import { expect, test } from 'vitest'
import type { Context } from '../../src/app/context.ts'
import { AppError } from '../../src/core/errors.ts'
import { sweep } from '../../src/maintenance/sweep.ts'
import { createManuscript } from '../../src/manuscripts/create-manuscript.ts'
import { updateManuscript } from '../../src/manuscripts/update-manuscript.ts'
import { contextOf } from '../support/context.ts'
import { seedBooks } from '../support/seed-books.ts'
import { runWithStop, useStops, type Stop } from '../support/stopped-calls.ts'
import { useTestServer } from '../support/use-test-server.ts'

const limit = { timeout: 300_000 }
useStops()
const server = useTestServer({ LECTERN_ROLE: 'web' })

/** A writer whose plan has one slot, with a paused manuscript, another paused one and a further book. */
async function makeWriter() {
  const person = await server.createPerson({ plan: 'FREE' })
  const [first, second, itemId = ''] = await seedBooks(server, person, { count: 3 })
  const ctx = await contextOf(server, person)
  const ids: string[] = []
  for (const book of [first, second]) {
    const { manuscript } = await createManuscript(ctx, { title: 'M', itemId: book })
    await updateManuscript(ctx, { manuscriptId: manuscript.id, status: 'PAUSED' })
    ids.push(manuscript.id)
  }
  const [manuscriptId = '', otherId = ''] = ids
  return { ctx, manuscriptId, otherId, itemId }
}
type Writer = Awaited<ReturnType<typeof makeWriter>>

/** What a sweep does that runs ten minutes after the stop. */
const sweepLater = ({ now, ...services }: Context) =>
  sweep({ ...services, now: () => new Date(now().getTime() + 10 * 60_000) })

const codeOf = (error: unknown): string => {
  if (error instanceof AppError) return error.code
  throw error
}

const calls: [string, (writer: Writer) => Promise<unknown>][] = [
  ['resuming a manuscript', ({ ctx, manuscriptId }) => updateManuscript(ctx, { manuscriptId, status: 'ACTIVE' })],
  ['creating a manuscript on a book', ({ ctx, itemId }) => createManuscript(ctx, { title: 'N', itemId })],
]

/** Stops a call before each of its commands until `overtake` and the sweep have run. */
async function stopBeforeEachCommand(
  call: (writer: Writer) => Promise<unknown>,
  overtake: (writer: Writer) => Promise<unknown>,
) {
  const outcomes: { at: number; result: string; active: number; held: number }[] = []
  for (let at = 1; ; at++) {
    const writer = await makeWriter()
    const { ctx } = writer
    const run = async () => {
      await sweepLater(ctx)
      await overtake(writer)
    }
    const stop: Stop = { at, commands: 0, overtake: run }
    const result = await runWithStop(stop, () => call(writer).then(() => 'done', codeOf))
    if (stop.commands < at) return outcomes
    await sweepLater(ctx)
    const active = (await ctx.manuscripts.list(ctx.actor.id, 'ACTIVE')).length
    const rows = server.running.opened.database.db.collection<{ _id: string; held: object[] }>('manuscriptslots')
    const held = (await rows.findOne({ _id: ctx.actor.id }))?.held.length ?? 0
    outcomes.push({ at, result, active, held })
  }
}

test.for(calls)('%s takes its slot again if it was released during a stop', limit, async ([, call]) => {
  for (const outcome of await stopBeforeEachCommand(call, async () => {}))
    expect(outcome).toMatchObject({ result: 'done', active: 1, held: 1 })
})

test.for(calls)('%s does not exceed the limit if another took the slot during a stop', limit, async ([, call]) => {
  const outcomes = await stopBeforeEachCommand(call, ({ ctx, otherId }) =>
    updateManuscript(ctx, { manuscriptId: otherId, status: 'ACTIVE' }).catch(codeOf),
  )
  for (const outcome of outcomes) expect(outcome).toMatchObject({ active: 1, held: 1 })
  const results = outcomes.map(({ result }) => result)
  expect(new Set(results)).toEqual(new Set(['done', 'MANUSCRIPT_LIMIT_EXCEEDED']))
})
