import { expect, test } from 'vitest'
import { createApiKey } from '../../src/accounts/create-api-key.ts'
import { maxLiveKeys } from '../../src/accounts/key-slot-store.ts'
import type { Context } from '../../src/app/context.ts'
import { AppError } from '../../src/core/errors.ts'
import { contextOf } from '../support/context.ts'
import { runWithStop, useStops, type Stop } from '../support/stopped-calls.ts'
import { useTestServer } from '../support/use-test-server.ts'

useStops()
const server = useTestServer({ LECTERN_ROLE: 'web' })

const outcomeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'created',
    (error: unknown) => {
      if (error instanceof AppError) return error.code
      throw error
    },
  )

/** An account with so many free places for keys, and a clock that `stopFor` sets forward. */
async function makeAccount(free: number) {
  const { id } = await server.createPerson()
  const context = await contextOf(server, { id })
  let stoppedMs = 0
  const ctx: Context = { ...context, now: () => new Date(context.now().getTime() + stoppedMs) }
  for (let count = 1; count < maxLiveKeys - free; count++) await createApiKey(ctx, id, {})
  return { id, ctx, stopFor: (ms: number) => void (stoppedMs += ms) }
}

test.for([
  ['is refused if the other places are taken', 1],
  ['takes another place if one is free', 2],
] as const)('a creation of a key that stops for two minutes %s', { timeout: 60_000 }, async ([, free]) => {
  const outcomes: string[] = []
  for (let at = 1; ; at++) {
    const { id, ctx, stopFor } = await makeAccount(free)
    const overtake = async () => {
      stopFor(2 * 60_000)
      // Fills the account, and needs the place of the stopped call, which it takes for dead.
      for (let count = 0; count < free + 1; count++) await outcomeOf(createApiKey(ctx, id, {}))
      const { db } = server.running.opened.database
      // One of the other keys is revoked.
      if (free === 2) await db.collection('keys').updateOne({ accountId: id }, { $set: { revokedAt: ctx.now() } })
    }
    const stop: Stop = { at, commands: 0, overtake }
    const outcome = await runWithStop(stop, () => outcomeOf(createApiKey(ctx, id, {})))
    if (stop.commands < at) break
    outcomes.push(outcome)
    const live = (await ctx.accounts.listKeys(id)).filter(({ revokedAt }) => revokedAt === null)
    expect({ at, live: live.length }).toEqual({ at, live: maxLiveKeys })
  }
  expect(outcomes.length).toBeGreaterThan(1)
  expect(outcomes.includes('KEY_LIMIT_EXCEEDED')).toBe(free === 1)
})
