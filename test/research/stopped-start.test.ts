import { expect, test } from 'vitest'
import type { Context } from '../../src/app/context.ts'
import { AppError } from '../../src/core/errors.ts'
import { completeIdleSessions, startAccessSession } from '../../src/research/sessions.ts'
import { contextOf } from '../support/context.ts'
import { runWithStop, useStops, type Stop } from '../support/stopped-calls.ts'
import { useTestServer } from '../support/use-test-server.ts'

useStops()
const server = useTestServer({ LECTERN_ROLE: 'web' })
const maxOpen = 20

const later = (ctx: Context): Context => ({ ...ctx, now: () => new Date(ctx.now().getTime() + 2 * 60_000) })

async function start(ctx: Context): Promise<string> {
  try {
    return (await startAccessSession(ctx, {})).sessionId
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}

async function stateOf({ actor, sessions }: Context, ids: readonly string[]) {
  const rows = server.running.opened.database.db.collection<{ _id: string; open: { id: string }[] }>('sessionPlaces')
  const row = await rows.findOne({ _id: actor.id })
  const reserved = (row?.open ?? []).map(({ id }) => id).toSorted()
  return { reserved, open: [...(await sessions.filterOpen(actor.id, ids))].toSorted() }
}

test.for([
  ['takes another slot if one is free', maxOpen - 2],
  ['is refused if the other slots are taken', maxOpen - 1],
] as const)('a start of a session that stops for two minutes %s', async ([, others]) => {
  const results: string[] = []
  for (let at = 1; ; at++) {
    const ctx = await contextOf(server, await server.createPerson())
    const ids: string[] = []
    for (let nth = 0; nth < others; nth++) ids.push(await start(ctx))
    const overtake = async () => {
      await completeIdleSessions(later(ctx), ctx.actor.id)
      // Takes the slot of a start whose slot was released.
      ids.push(await start(later(ctx)))
    }
    const stop: Stop = { at, commands: 0, overtake }
    const result = await runWithStop(stop, () => start(ctx))
    if (stop.commands < at) break
    results.push(result)
    const { open, reserved } = await stateOf(ctx, [...ids, result])
    expect(reserved).toEqual(open)
    expect(open).toHaveLength(maxOpen)
  }
  expect(results.length).toBeGreaterThan(1)
  expect(results.includes('RATE_LIMITED')).toBe(others === maxOpen - 1)
})

test('a session that is added while its slot is being released as abandoned keeps the slot', async () => {
  for (let at = 1; ; at++) {
    const ctx = await contextOf(server, await server.createPerson())
    const id = ctx.newId()
    await ctx.sessionQuota.acquire(ctx.actor.id, { id, at: ctx.now() }, { open: maxOpen, hour: 60 })
    let session = ''
    const overtake = async () => void (session = await start({ ...ctx, newId: () => id }))
    const stop: Stop = { at, commands: 0, overtake }
    await runWithStop(stop, () => completeIdleSessions(later(ctx), ctx.actor.id))
    if (stop.commands < at) break
    const { open, reserved } = await stateOf(ctx, [session])
    expect({ at, open, reserved }).toEqual({ at, open: [session], reserved: [session] })
  }
})
